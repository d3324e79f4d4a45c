"""Tests of third-party programs with the service: an OAuth library, an authenticator library and a feed reader.

.ci/clients.sh starts the service, creates a machine client and a staff member, and sets the environment variables.
"""

import os
import time
import unittest

import feedparser
import pyotp
import requests
from oauthlib.oauth2 import BackendApplicationClient, LegacyApplicationClient, OAuth2Error
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

# The service under test uses plain HTTP on the loopback interface.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
# By default, the library treats a token with fewer scopes than requested as an error.
os.environ["OAUTHLIB_RELAX_TOKEN_SCOPE"] = "1"

BASE = os.environ["LABS_TEST_BASE"]
CLIENT_ID = os.environ["LABS_TEST_CLIENT_ID"]
CLIENT_SECRET = os.environ["LABS_TEST_CLIENT_SECRET"]
TOKEN_URL = f"{BASE}/v1/oauth/token"


class MachineClient(unittest.TestCase):
    def session(self, **fetch):
        session = OAuth2Session(client=LegacyApplicationClient(client_id=CLIENT_ID))
        session.fetch_token(TOKEN_URL, username=CLIENT_ID, password=CLIENT_SECRET, **fetch)
        return session

    def introspect(self, token):
        answer = requests.post(
            f"{BASE}/v1/oauth/introspect",
            data={"token": token},
            auth=HTTPBasicAuth(CLIENT_ID, CLIENT_SECRET),
            timeout=10,
        )
        self.assertEqual(answer.status_code, 200, answer.text)
        return answer.json()

    def until_refused(self, token):
        """Waits until the service rejects the token. The limit is one second, plus a reserve for busy machines."""
        deadline = time.monotonic() + 5
        while self.introspect(token)["active"] and time.monotonic() < deadline:
            time.sleep(0.05)

    def test_a_token_is_got_used_introspected_and_revoked(self):
        session = self.session()
        self.assertEqual(session.token["token_type"].lower(), "bearer")
        self.assertEqual(session.get(f"{BASE}/v1/marketplace/public/listings").status_code, 200)

        token = session.token["access_token"]
        told = self.introspect(token)
        self.assertTrue(told["active"])
        self.assertEqual(told["client_id"], CLIENT_ID)
        self.assertIn("storefront", told["scope"].split())

        url, headers, body = session._client.prepare_token_revocation_request(
            f"{BASE}/v1/oauth/revoke", token, token_type_hint="access_token"
        )
        revoked = requests.post(
            url, data=body, headers=headers, auth=HTTPBasicAuth(CLIENT_ID, CLIENT_SECRET), timeout=10
        )
        self.assertEqual(revoked.status_code, 200, revoked.text)
        self.until_refused(token)
        self.assertEqual(self.introspect(token), {"active": False})
        self.assertEqual(session.get(f"{BASE}/v1/marketplace/public/listings").status_code, 401)

    def test_a_token_is_got_with_the_credentials_in_the_header_as_well(self):
        session = self.session(auth=HTTPBasicAuth(CLIENT_ID, CLIENT_SECRET))
        self.assertEqual(session.get(f"{BASE}/v1/system/me").json()["principal_type"], "MACHINE_CLIENT")

    def test_the_grant_of_clients_gives_the_same_token_by_basic_and_by_the_form(self):
        for where in ({"auth": HTTPBasicAuth(CLIENT_ID, CLIENT_SECRET)}, {"include_client_id": True}):
            session = OAuth2Session(client=BackendApplicationClient(client_id=CLIENT_ID, scope=["storefront"]))
            token = session.fetch_token(TOKEN_URL, client_secret=CLIENT_SECRET, **where)
            self.assertEqual(token.scopes, ["storefront"])
            self.assertEqual(session.get(f"{BASE}/v1/system/me").json()["client_id"], CLIENT_ID)

    def test_a_wrong_secret_is_told_in_the_librarys_own_words(self):
        session = OAuth2Session(client=LegacyApplicationClient(client_id=CLIENT_ID))
        with self.assertRaises(OAuth2Error) as refused:
            session.fetch_token(TOKEN_URL, username=CLIENT_ID, password="not the secret")
        self.assertIn(refused.exception.error, ("invalid_client", "invalid_grant"))

    def test_a_scope_beyond_what_is_allowed_is_left_out_of_the_token(self):
        session = OAuth2Session(client=LegacyApplicationClient(client_id=CLIENT_ID))
        asked = ["storefront", "labs.admin"]
        token = session.fetch_token(TOKEN_URL, username=CLIENT_ID, password=CLIENT_SECRET, scope=asked)
        self.assertEqual(token.scopes, ["storefront"])


class Authenticator(unittest.TestCase):
    """Sign-in with an authenticator library, and the changelog feed. One test, because a code is valid only once."""

    def test_a_standard_authenticators_code_signs_a_person_in_who_writes_for_readers_of_feeds(self):
        person = {"email": os.environ["LABS_TEST_STAFF_EMAIL"], "password": os.environ["LABS_TEST_STAFF_PASSWORD"]}
        asked = requests.post(f"{BASE}/v1/auth/sessions", json=person, timeout=10)
        self.assertEqual((asked.status_code, asked.json()["code"]), (401, "MFA_REQUIRED"))
        code = pyotp.TOTP(os.environ["LABS_TEST_STAFF_TOTP_SECRET"]).now()
        answer = requests.post(
            f"{BASE}/v1/auth/sessions:verify-mfa",
            json={"challenge": asked.json()["challenge"], "code": code},
            timeout=10,
        )
        self.assertEqual(answer.status_code, 200, answer.text)
        bearer = {"Authorization": f"Bearer {answer.json()['access_token']}"}
        self.assertEqual(requests.get(f"{BASE}/v1/system/me", headers=bearer, timeout=10).json()["principal_type"], "STAFF_USER")
        self.read_the_feed(bearer)

    def read_the_feed(self, bearer):
        entry = {
            "kind": "CHANGELOG_ENTRY",
            "title": "Names <b>& numbers",
            "version": "1.0.0",
            "change": "CHANGED",
            "body": "Read [it](op:system_me_get) **now**.",
            "action_required": True,
            "migration": "Send `name`.",
        }
        items = f"{BASE}/v1/publication/internal/items"
        made = requests.post(items, json=entry, headers=bearer, timeout=10)
        self.assertEqual(made.status_code, 201, made.text)
        released = requests.post(f"{items}/{made.json()['uuid']}:release", headers=bearer, timeout=10)
        self.assertEqual(released.status_code, 200, released.text)
        address = f"{BASE}/v1/publication/public/feeds/changelog"
        feed = feedparser.parse(address)
        self.assertFalse(feed.bozo, feed.get("bozo_exception"))
        self.assertEqual((feed.version, feed.status), ("atom10", 200))
        (found,) = feed.entries
        self.assertEqual(found.id, f"urn:uuid:{made.json()['uuid']}")
        self.assertTrue(found.title.startswith("[Action required] Names"), found.title)
        self.assertIn("<strong>now</strong>", found.content[0].value)
        self.assertTrue(found.link.startswith(f"{BASE}/changelog/"), found.link)
        self.assertEqual(requests.get(found.link, timeout=10).status_code, 200)
        self.assertEqual(feedparser.parse(address, etag=feed.etag).status, 304)


if __name__ == "__main__":
    unittest.main()
