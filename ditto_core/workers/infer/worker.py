"""The INFER Worker."""

from __future__ import annotations

from ditto_core.contracts.infer import GenerationConfig
from ditto_core.contracts.nodes import SAMPLE
from ditto_core.runtime.services import Providers, Services
from ditto_core.runtime.worker import WorkerDefinition, define_worker
from ditto_core.workers.infer.providers.configured import providers_of
from ditto_core.workers.infer.sample import Sampler


def create_infer_worker(
    *,
    providers: Providers | None = None,
    default_provider: str | None = None,
    generation: GenerationConfig | None = None,
    concurrency: int | None = None,
) -> WorkerDefinition:
    """The Worker behind INFER.REASONING.SAMPLE.

    Without `providers` it uses those of the runtime, and where the runtime has none those of the configuration, which
    it makes once, by `create_providers`. The provider is the request's, else `default_provider`, else the configured
    one, else the sole entry. `generation` is the default of every field that a request leaves out.
    """

    def resources(services: Services) -> Providers:
        return providers if providers is not None else providers_of(services)

    return define_worker(
        type="INFER",
        nodes={SAMPLE: Sampler(default_provider, generation)},
        resources=resources,
        concurrency=concurrency,
    )
