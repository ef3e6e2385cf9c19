"""The INFER Worker."""

from __future__ import annotations

from ditto_core.contracts.infer import GenerationConfig
from ditto_core.contracts.nodes import SAMPLE
from ditto_core.runtime.services import Providers
from ditto_core.runtime.worker import WorkerDefinition, define_worker
from ditto_core.workers.infer.sample import Sampler


def create_infer_worker(
    *,
    providers: Providers | None = None,
    default_provider: str | None = None,
    generation: GenerationConfig | None = None,
    concurrency: int | None = None,
) -> WorkerDefinition:
    """The Worker behind INFER.REASONING.SAMPLE.

    Without `providers` it uses those of the runtime. The provider is the request's, else `default_provider`, else the
    configured one, else the sole entry. `generation` is the default of every field that a request leaves out.
    """
    return define_worker(
        type="INFER",
        nodes={SAMPLE: Sampler(providers, default_provider, generation)},
        concurrency=concurrency,
    )
