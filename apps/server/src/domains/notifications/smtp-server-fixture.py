"""A real SMTP server for tests: tells its port, then each mail it takes, as lines of JSON.

Arguments as JSON: user, password (asked for when given), tls (none, starttls or ssl), certificate, key, busy (answers 451 to so many mails first).
"""
import asyncio
import base64
import email
import json
import ssl
import sys
from email import policy

from aiosmtpd.smtp import SMTP, AuthResult

options = json.loads(sys.argv[1])


def tell(**line):
    print(json.dumps(line), flush=True)


class Handler:
    busy = options.get("busy", 0)

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith("nobody@"):
            return "550 5.1.1 No such person here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if self.busy > 0:
            self.busy -= 1
            return "451 4.3.0 Too busy, try later"
        message = email.message_from_bytes(envelope.content, policy=policy.default)
        part = lambda kind: (lambda found: found.get_content() if found else "")(message.get_body(preferencelist=(kind,)))
        tell(
            event="mail",
            sender=envelope.mail_from,
            to=envelope.rcpt_tos,
            subject=str(message["subject"]),
            headers=[name.lower() for name in message.keys()],
            text=part("plain"),
            html=part("html"),
            attachments=[dict(filename=one.get_filename(), content=base64.b64encode(one.get_content()).decode()) for one in message.iter_attachments()],
            encrypted=session.ssl is not None or options["tls"] == "ssl",
            signed_in=bool(session.authenticated),
        )
        return "250 Taken"


def authenticate(server, session, envelope, mechanism, data):
    right = data.login.decode() == options["user"] and data.password.decode() == options["password"]
    return AuthResult(success=right, handled=False)


# One for all connections: it counts how often it was busy.
handler = Handler()


def make():
    context = None
    if options["tls"] == "starttls":
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(options["certificate"], options["key"])
    asks = "password" in options
    return SMTP(
        handler,
        hostname="mail.test",
        tls_context=context,
        require_starttls=context is not None,
        authenticator=authenticate if asks else None,
        auth_required=asks,
        auth_require_tls=options["tls"] == "starttls",
    )


async def main():
    context = None
    if options["tls"] == "ssl":
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(options["certificate"], options["key"])
    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0, ssl=context)
    tell(event="ready", port=server.sockets[0].getsockname()[1])
    await server.serve_forever()


asyncio.run(main())
