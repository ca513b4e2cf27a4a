"""Bounce mails as mail servers write them."""
import email
import email.policy
from email.message import EmailMessage, Message
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText


def report(action="failed", status="5.1.1", recipient="owner@example.org", original_to=None,
           wrapped=False, returned="returned"):
    """A report as RFC 3464 describes it, made by Python's `email`."""
    mail = MIMEMultipart("report", **{"report-type": "delivery-status"})
    if original_to:
        mail["X-Original-To"] = original_to
    mail["From"], mail["To"] = "MAILER-DAEMON@mx.example", "somebody@relay.example"
    mail["Subject"] = "Undelivered Mail Returned to Sender"
    mail.attach(MIMEText(f"We could not deliver to <{recipient}>: größer", _charset="utf-8"))
    server, person = Message(), Message()
    server["Reporting-MTA"] = "dns; mx.example"
    person["Final-Recipient"] = f"rfc822; {recipient}"
    person["Action"] = action
    person["Status"] = status
    person["Diagnostic-Code"] = f"smtp; 550 {status} <{recipient}> " + "unknown " * 30
    part = Message()
    part["Content-Type"] = "message/delivery-status"
    part.set_payload([server, person])
    mail.attach(part)
    mail_itself = EmailMessage()
    mail_itself["Subject"] = returned
    mail_itself.set_content(returned)
    inner = Message()
    inner["Content-Type"] = "message/rfc822"
    inner.set_payload([mail_itself])
    mail.attach(inner)
    if wrapped:
        outer = MIMEMultipart("mixed")
        outer.attach(mail)
        mail = outer
    return mail.as_bytes(policy=email.policy.SMTP)
