"""Graph, Loop, Worker and the Runtime that routes and runs them."""
