/// A certificate of `localhost`, and the authority that has signed it, from 2020 to 2120: made for tests, and
/// trusted by nobody else.
enum TLSIdentity {
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBeDCCAR6gAwIBAgIUB/tUW6SKbaFS5R6TAqa9Bv9vG5UwCgYIKoZIzj0EAwIw
        ITEfMB0GA1UEAwwWQW4gYXV0aG9yaXR5IG9mIGEgdGVzdDAgFw0yMDAxMDEwMDAw
        MDBaGA8yMTIwMDEwMTAwMDAwMFowITEfMB0GA1UEAwwWQW4gYXV0aG9yaXR5IG9m
        IGEgdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNfkLjs9aobDujn/WfeX
        pycIpF2YG46gcTcTOVv3EDWHqY9eDpztia2E3quSAzsuqQ5/iCPnQzDI2VaqvyKG
        l2WjMjAwMA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYEFKKXfpxrn3g3bD2D+6Z1
        LmrrnpbBMAoGCCqGSM49BAMCA0gAMEUCIDwTBWEld4Ln/yao4jxuVbNY6I95RCqC
        Fmj5aE5gZAv5AiEA4dgzbyQYoJh/c5MqnNwH7KWNpHhV8UULvbV/87U1tGk=
        -----END CERTIFICATE-----
        """

    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBcTCCARigAwIBAgIUE1u/7FKei3blTu6aWqx2gCQkb1MwCgYIKoZIzj0EAwIw
        ITEfMB0GA1UEAwwWQW4gYXV0aG9yaXR5IG9mIGEgdGVzdDAgFw0yMDAxMDEwMDAw
        MDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYH
        KoZIzj0CAQYIKoZIzj0DAQcDQgAEhUZkPa9Xz+RGxEq36tE5Q3Qw+spfd53wQIn7
        h58A1vKuzn50x1J27i9OJJUJx6R2rgDqpIg3ZqaG5QlWIaUCMqM5MDcwFAYDVR0R
        BA0wC4IJbG9jYWxob3N0MB8GA1UdIwQYMBaAFKKXfpxrn3g3bD2D+6Z1LmrrnpbB
        MAoGCCqGSM49BAMCA0cAMEQCICmKswCMVa0C9G8CxjKzPUYJs4ki8D5iFEFwQLFn
        ukL0AiA6dLgCHtjg66Gon5tL8mzp+sdipJAmdf0VCxtaAVPHWw==
        -----END CERTIFICATE-----
        """

    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgopUBfothWRJra5Wh
        HkbLcZ1sGSQttXG3ZpgPDhMUViGhRANCAASFRmQ9r1fP5EbESrfq0TlDdDD6yl93
        nfBAifuHnwDW8q7OfnTHUnbuL04klQnHpHauAOqkiDdmpoblCVYhpQIy
        -----END PRIVATE KEY-----
        """
}
