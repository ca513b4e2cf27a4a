import RelayPostgres
import RelayServer

/// The place that `--data` names: a folder of this machine, or a database that several relays share.
enum DataPlace {
    case folder(String)
    case database(PostgreSQLPlace, key: String)

    /// The reason why the options name no place.
    struct Mistake: Error {
        let sentence: String
    }
}

extension DataPlace {
    /// The place that options name, or the reason why they name none.
    ///
    /// - Parameters:
    ///   - data: The value of `--data`.
    ///   - key: The value of `--key`.
    ///   - isPooled: Whether `--pooled` is given.
    static func named(
        _ data: String?,
        key: String?,
        isPooled: Bool
    ) -> Result<DataPlace, Mistake> {
        func mistake(_ sentence: String) -> Result<DataPlace, Mistake> {
            .failure(Mistake(sentence: sentence))
        }
        guard let data else {
            return mistake(
                "--data is missing: the folder of the relay's database and key, or a PostgreSQL "
                    + "database."
            )
        }
        guard PostgreSQLPlace.isURL(data) else {
            if data.contains("://") {
                return mistake(
                    "--data is a URL, and not one of PostgreSQL: name a folder of this machine, or "
                        + "postgres://USER@HOST/DATABASE."
                )
            }
            guard key == nil else {
                return mistake("--key goes with a PostgreSQL database: a folder has its key in it.")
            }
            return .success(.folder(data))
        }
        guard let key else {
            return mistake(
                "--key is missing: the key file, which is not in the database. All relays of the "
                    + "database have the same one."
            )
        }
        do throws(PostgreSQLPlace.Mistake) {
            let password = GivenSettings.current.secrets["database-password"]
            let place = try PostgreSQLPlace(data, password: password, isPooled: isPooled)
            return .success(.database(place, key: key))
        } catch {
            return mistake(
                "--data has a password, which other programs of the machine could see. Give it as "
                    + "database-password in the file of --config, or as "
                    + "MEMO_RELAY_DATABASE_PASSWORD."
            )
        }
    }
}
