"""The OpenAPI document of the running server, made of routes, schemas and policy."""
