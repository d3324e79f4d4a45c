"""Tests of the documents at well-known addresses with third-party validators."""

import os
import unittest
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.robotparser import RobotFileParser

import requests
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from sectxt import Parser
from skills_ref import read_properties, validate

BASE = os.environ["LABS_TEST_BASE"]


class WellKnown(unittest.TestCase):
    def get(self, path):
        answer = requests.get(f"{BASE}{path}", timeout=10)
        self.assertEqual(answer.status_code, 200, answer.text)
        return answer

    def test_metadata_of_the_oauth_server_is_valid(self):
        # The library requires HTTPS. The service under test uses plain HTTP.
        secure = {
            name: value.replace("http://", "https://") if isinstance(value, str) else value
            for name, value in self.get("/.well-known/oauth-authorization-server").json().items()
        }
        AuthorizationServerMetadata(secure).validate()

    def test_security_contact_is_valid(self):
        found = Parser(self.get("/.well-known/security.txt").content, is_local=True)
        # The library requires HTTPS for this field.
        errors = [error for error in found.errors if error.get("code") != "no_https"]
        self.assertEqual(errors, [])
        self.assertEqual(found.contact_email, "security@labs.example")

    def test_crawlers_read_the_pages_and_not_the_api(self):
        rules = RobotFileParser()
        rules.parse(self.get("/robots.txt").text.splitlines())
        self.assertTrue(rules.can_fetch("*", f"{BASE}/reference"))
        self.assertFalse(rules.can_fetch("*", f"{BASE}/v1/system/me"))
        self.assertEqual(rules.site_maps(), [f"{BASE}/sitemap.xml"])

    def test_skill_for_agents_is_valid(self):
        (skill,) = self.get("/.well-known/agent-skills/index.json").json()["skills"]
        content = self.get(skill["url"]).content
        self.assertEqual(skill["digest"], f"sha256:{sha256(content).hexdigest()}")
        with TemporaryDirectory() as folder:
            place = Path(folder) / skill["name"]
            place.mkdir()
            (place / "SKILL.md").write_bytes(content)
            self.assertEqual(validate(place), [])
            self.assertEqual(read_properties(place).description, skill["description"])
