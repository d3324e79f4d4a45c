"""Registers a company and prints the e-mail address and the password of its administrator on two lines.

    administrator.py <base address> <folder of mails>

The tier of the company allows enough apps for all clients.
"""

import email
import email.header
import email.policy
import pathlib
import re
import sys
import time

import requests

PERSON = {"name": "Mara Vogel", "email": "mara@nordsee.example", "password": "a long walk along the Elbe"}


def post(base, path, body):
    return requests.post(f"{base}{path}", json=body, timeout=30)


def check_subject(mail):
    """Checks that both e-mail parsers of Python read the same subject, and that every word of it is encoded."""
    modern = email.message_from_bytes(mail, policy=email.policy.default)["subject"]
    raw = email.message_from_bytes(mail, policy=email.policy.compat32)["subject"]
    legacy = str(email.header.make_header(email.header.decode_header(raw)))
    words = raw.split()
    if modern != legacy or not all(word.startswith("=?") and word.endswith("?=") for word in words):
        sys.exit(f"the subject {raw!r} is read as {modern!r} and {legacy!r}")


def mailed_token(mails):
    """Returns the token in the first mail. The service writes the mail shortly after the registration."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for file in sorted(pathlib.Path(mails).glob("*.eml")):
            mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
            text = mail.get_body(preferencelist=("plain",))
            found = text and re.search(r"labs_ot_[A-Za-z0-9_-]+", text.get_content())
            if found:
                check_subject(file.read_bytes())
                return found.group()
        time.sleep(0.05)
    sys.exit(f"no mail in {mails} has a token")


def main():
    base, mails = sys.argv[1:]
    company = {"company_name": "Nordsee Kassen", "country": "DE", "tier_code": "GROWTH", "accept_terms": True}
    registered = post(base, "/v1/auth/registrations", {**company, "administrator": PERSON})
    if not registered.ok:
        sys.exit(registered.text)
    proof = {"token": mailed_token(mails), "password": PERSON["password"]}
    confirmed = post(base, "/v1/auth/registrations:verify-email", proof)
    if not confirmed.ok:
        sys.exit(confirmed.text)
    print(PERSON["email"], PERSON["password"], sep="\n")


if __name__ == "__main__":
    main()
