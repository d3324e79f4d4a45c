"""Runs the workflows of the contract with Redocly's `respect` against the service that .ci/workflows.sh started.

    run.py <base address> <folder of mails> <path of redocly>

This program does the steps of a user: it reads tokens from e-mails and generates codes of an authenticator. Workflows can
use the outputs of earlier workflows. It exits with an error at the first failed workflow, or if a workflow was not run.
"""

import email
import email.policy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import pyotp
import requests
import yaml

BASE, MAILS, REDOCLY = sys.argv[1:]
WORKFLOWS = pathlib.Path(__file__).resolve().parents[2] / "contract" / "workflows"
WRITTEN = {
    (file.name, workflow["workflowId"]): workflow
    for file in sorted(WORKFLOWS.glob("*.yaml"))
    for workflow in yaml.safe_load(file.read_text())["workflows"]
}
not_run = set(WRITTEN)


def run(file, workflow, **inputs):
    """Runs one workflow with these inputs and returns its outputs."""
    not_run.discard((file, workflow))
    begun = time.monotonic()
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = [REDOCLY, "respect", WORKFLOWS / file, "--workflow", workflow, "--server", f"labs={BASE}"]
        command += ["--input", json.dumps(inputs), "--json-output", report.name, "--no-secrets-masking"]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        told = json.loads(pathlib.Path(report.name).read_text() or "{}")
    steps = [step for part in told.get("files", {}).values() for step in part["executedWorkflows"][0]["executedSteps"]]
    if ran.returncode != 0:
        last = json.dumps(steps[-1].get("response", {}).get("body"), indent=2) if steps else ""
        sys.exit(f"{ran.stdout}{ran.stderr}\nThe last answer: {last}\n{file}: {workflow} failed")
    written = WRITTEN[file, workflow]
    # A retried step appears more than once. The last response counts.
    bodies = {step["stepId"]: step["response"].get("body") for step in steps}
    if list(bodies) != [step["stepId"] for step in written["steps"]]:
        sys.exit(f"{file}: of {workflow} only {', '.join(bodies)} ran")
    print(f"{file}: {workflow} passed, after {time.monotonic() - begun:.1f} s", flush=True)
    outputs = {step["stepId"]: step.get("outputs", {}) for step in written["steps"]}
    put_out = {}
    for name, expression in written.get("outputs", {}).items():
        _, step, _, output = expression.split(".")
        value = bodies[step]
        for part in outputs[step][output].removeprefix("$response.body#/").split("/"):
            value = value[part]
        put_out[name] = value
    return put_out


def call(method, path, token=None, **body):
    """Sends a request that is not part of a workflow and returns its body."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = requests.request(method, f"{BASE}{path}", headers=headers, json=body, timeout=30)
    if not answer.ok and answer.json()["code"] != "MFA_REQUIRED":
        sys.exit(f"{method} {path}: {answer.text}")
    return answer.json()


def staff_token(prefix):
    """Signs a staff member in and returns the access token."""
    person = {"email": os.environ[f"{prefix}_EMAIL"], "password": os.environ[f"{prefix}_PASSWORD"]}
    challenge = call("POST", "/v1/auth/sessions", **person)["challenge"]
    code = pyotp.TOTP(os.environ[f"{prefix}_TOTP_SECRET"]).now()
    return call("POST", "/v1/auth/sessions:verify-mfa", challenge=challenge, code=code)["access_token"]


def mailed_token(address):
    """Waits for the e-mail to an address and returns its token."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for file in pathlib.Path(MAILS).glob("*.eml"):
            mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
            found = re.search(r"labs_ot_[A-Za-z0-9_-]+", mail.get_body(preferencelist=("plain",)).get_content())
            if found and address in mail["To"]:
                return found.group()
        time.sleep(0.05)
    sys.exit(f"no mail to {address} in {MAILS} has a token")


def program(staff, scope, **more):
    """Creates a machine client and returns its id and secret as inputs for workflows."""
    made = call("POST", "/v1/admin/machine-clients", staff, name=f"Test of {scope}", allowed_scopes=[scope], **more)
    return {"client_id": made["client_id"], "client_secret": made["client_secret"]}


def main():
    staff, reviewer = staff_token("LABS_TEST_STAFF"), staff_token("LABS_TEST_REVIEWER")
    call("POST", "/v1/marketplace/internal/categories", staff, names={"en": "Team"})

    person = {"email": "marta.lindqvist@tischwerk.example", "password": "seven lanterns over the harbour"}
    run("registration.yaml", "register", tier_code="GROWTH", **person)
    made = run("registration.yaml", "confirm_the_address", mailed_token=mailed_token(person["email"]), **person)
    partner = {"partner_token": made["access_token"], "partner_uuid": made["partner_uuid"]}
    # Workflows send requests faster than the default burst budget allows.
    fast = {"burst_per_second": 10000, "reason": "Workflows are run.", "expires_at": "2099-01-01T00:00:00Z"}
    call("PUT", f"/v1/admin/partners/{partner['partner_uuid']}/rate-limit", staff, **fast)
    own = program(staff, "marketplace.apps:write", partner_uuid=partner["partner_uuid"])
    storefront = program(staff, "storefront:write")

    run("first-calls.yaml", "make_the_first_calls", **person, **own)
    run("program-scopes.yaml", "narrow_a_token", **own)

    app = run("app-submission.yaml", "hand_an_app_in", app_name="Mise Shift Board", **partner)
    run("review.yaml", "review_and_publish", reviewer_token=reviewer, **partner, **app)
    run("storefront-feed.yaml", "follow_the_storefront", **storefront, **partner, **app)
    run("followed-events.yaml", "follow_the_events_of_an_app", token=partner["partner_token"])
    run("customer-review.yaml", "review_and_reply", staff_token=staff, **storefront, **partner, **app)

    app = run("app-submission.yaml", "hand_an_app_in", app_name="Mise Floor", **partner)
    run("appeal.yaml", "appeal_a_rejection", reviewer_token=reviewer, second_reviewer_token=staff, **partner, **app)

    colleague = {"email": "tomas.reuter@tischwerk.example", "password": "copper kettle in the morning fog"}
    invited = {"colleague_email": colleague["email"], "colleague_password": colleague["password"], **partner}
    run("team-invitation.yaml", "invite", **invited)
    run("team-invitation.yaml", "join_the_team", mailed_token=mailed_token(colleague["email"]), **invited)

    authenticator = pyotp.TOTP(run("second-factor.yaml", "enrol_an_authenticator", **colleague)["secret"])
    now = int(time.time())
    run("second-factor.yaml", "confirm_the_authenticator", code=authenticator.at(now), **colleague)
    # Each code is valid once. The service also accepts the next code shortly before its time.
    run("second-factor.yaml", "sign_in_with_a_code", code=authenticator.at(now + authenticator.interval), **colleague)

    ending = {"sunset_at": "2099-06-01T00:00:00Z"}
    run("deprecation.yaml", "deprecate_and_keep", staff_token=staff, **ending, **partner)
    run("support-ticket.yaml", "settle_a_ticket", staff_token=staff, **partner)
    run("tier-change.yaml", "change_the_tier", staff_token=staff, **partner)
    if not_run:
        sys.exit(f"not run: {', '.join(': '.join(one) for one in sorted(not_run))}")


if __name__ == "__main__":
    main()
