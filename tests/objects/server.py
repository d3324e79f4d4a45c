"""S3 server for tests: moto with one empty bucket on a free port. It ends when standard input is closed.

It prints its address on one line. `POST /older?prefix=…&minutes=…` subtracts minutes from the modification time of
objects, which S3 itself does not allow.
"""

import datetime
import logging
import sys
import threading
from urllib.parse import parse_qs

from moto.core import DEFAULT_ACCOUNT_ID
from moto.s3.models import s3_backends
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

BUCKET = "labs-test"

moto = DomainDispatcherApplication(create_backend_app)
bucket = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].create_bucket(BUCKET, "us-east-1")


def make_older(prefix, minutes):
    for name, key in list(bucket.keys.items()):
        if name.startswith(prefix):
            key.last_modified -= datetime.timedelta(minutes=minutes)


def application(environ, start_response):
    if environ["PATH_INFO"] != "/older":
        return moto(environ, start_response)
    asked = parse_qs(environ["QUERY_STRING"])
    make_older(asked["prefix"][0], int(asked["minutes"][0]))
    start_response("204 No Content", [])
    return []


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, code="-", size="-"):
        pass


# If two clients put the same object concurrently, moto returns 500 to one of them and logs it. The client retries.
logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=Quiet)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"http://127.0.0.1:{server.port}", flush=True)
sys.stdin.read()
