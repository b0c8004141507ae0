"""Service: the lists in force over HTTP, read only.

- `application`: the routes of the API
- `serving`: a server for them

Behind them are a snapshot of the release in force, a reloader that replaces it when the store has
a newer release, a middleware that counts requests and answers whole lists itself, the metrics for
Prometheus, and the declared responses.

It needs the extra ``service``: pip install 'recloak[service]'.
"""
