import ArgumentParser
import RelayServer

/// The settings of a relay, as the parser has read them.
struct ServeOptions: ParsableArguments {
    @Option(
        help: """
            A file of settings: lines "name = value", named like these options. An option, or a \
            variable such as MEMO_RELAY_DEVICE_DAY, has precedence.
            """
    )
    var config: String?

    @Option(help: "The name or IP address to listen on.")
    var host = "127.0.0.1"

    @Flag(
        help: """
            Let other machines come by plain HTTP: needed for a --host that they reach. Whoever \
            carries the traffic can read memos and tokens, unless a proxy protects it.
            """
    )
    var insecureHttp = false

    @Option(
        help: """
            The URL at which people reach the relay, such as https://relay.example.org. Requests \
            for another host are then refused, except for /healthz and /readyz.
            """
    )
    var publicUrl: String?

    @Option(help: "The port to listen on; 0 for any that is free.")
    var port = 8080

    @Option(
        help: """
            Serve metrics for Prometheus at http://127.0.0.1:PORT/metrics, to this machine only; 0 \
            for any port that is free. By default none.
            """
    )
    var metricsPort: Int?

    @Option(
        help: """
            The folder of the relay's database and key, or a PostgreSQL database that several relays \
            share: postgres://USER@HOST/DATABASE. Its password is database-password in the file of \
            --config, or MEMO_RELAY_DATABASE_PASSWORD. Required.
            """
    )
    var data: String?

    @Option(
        help: """
            The key file of a relay whose data is in a PostgreSQL database: the same one for all relays of \
            the database.
            """
    )
    var key: String?

    @Flag(
        help: """
            A pooler in transaction mode stands before the PostgreSQL database, such as pgbouncer.
            """
    )
    var pooled = false

    @Option(
        help: """
            The seconds after which other relays of a PostgreSQL database hand over the mails of one that \
            was killed; 5 to 30.
            """
    )
    var leaseSeconds = 15

    @Option(
        help: """
            Where mail goes: maildir:FOLDER, smtp://HOST[:PORT], smtps://HOST[:PORT], resend: for \
            the provider Resend, or imap://HOST[:PORT][/FOLDER] and imaps://HOST[:PORT][/FOLDER] for \
            the mailboxes of a server. Required.
            """
    )
    var mail: String?

    @Option(help: "The sender's address; its domain must be the relay's own.")
    var from = "memo@localhost"

    @Option(
        help: """
            An address such as bounce@relay.example.org, with at most 21 characters before the @, \
            whose mails, bounce+ANYTHING@ included, the mail server gives to "memo-relay bounce". \
            By default bounces go to --from.
            """
    )
    var bounceAddress: String?

    @Option(
        help: """
            The file of the private keys that sign mails (DKIM), for a mail server by SMTP only; \
            "memo-relay dkim-key" makes it.
            """
    )
    var dkim: String?

    @Option(help: "The selector of the keys of --dkim: the name of their DNS records.")
    var dkimSelector: String?

    @OptionGroup var memoLimits: MemoLimitOptions

    @OptionGroup var codeLimits: CodeLimitOptions

    @Option(
        help: """
            The addresses that may make an account: "open" for all, "closed" for none, or those of \
            mail domains, separated by commas. Whoever has an account signs in anyway.
            """
    )
    var signUp = "open"

    @Option(help: "Megabytes of free disk below which new memos and codes have to wait.")
    var diskReserve = 256

    @Option(help: "Seconds until a mail is tried again for the first time; the wait then doubles.")
    var mailRetryBase = 60.0

    @Option(
        help: """
            STARTTLS, for smtp:// only: "require" or "try". By default required where there is a \
            password and the server is not this machine.
            """
    )
    var smtpStarttls: String?

    @Option(
        help: """
            The client that speaks SMTP, for smtp:// and smtps:// only: "nio" is the relay's own, which \
            sends the commands of a mail at once where the server offers that; "curl" is libcurl, for a \
            server whose passwords the other one does not know.
            """
    )
    var smtpClient = SMTPClient.usual.rawValue

    @Option(help: "How many proxies in front of the relay add to X-Forwarded-For.")
    var trustedProxies = 0

    @Option(
        help: """
            The addresses of proxies on other machines, separated by commas: X-Forwarded-For counts \
            only from them, and from this machine.
            """
    )
    var proxy: String?

    @Option(
        help: """
            The name of a header, such as Remote-Email, in which a proxy with single sign-on names the \
            address of the person: the web app then signs in without a mailed code, and --sign-up does \
            not hold. Counts only from the addresses that --proxy names, this machine's 127.0.0.1 \
            included. The proxy must remove the header that a client sends.
            """
    )
    var trustHeader: String?

    @Option(
        help: """
            Requests of any kind a second from one network; of ten seconds at once. A site, an IPv4 \
            /24 or an IPv6 /48, has four times as many. This machine has no such limit.
            """
    )
    var networkRequests = 20

    @Option(
        help: """
            The folder of the web app, for a program that was built without it or in place of the \
            one that it holds.
            """
    )
    var web: String?

    @Option(
        help: """
            The https URL of the page where people who like the web app review it. By default the \
            app thanks them.
            """
    )
    var reviewPage: String?

    @Flag(
        help: """
            Everybody reaches the relay by https, through a proxy: tell browsers to insist on it.
            """
    )
    var behindHttps = false

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel = "info"
}
