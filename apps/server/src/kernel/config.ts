import type { Settings } from '@sallyport/contract/settings/index.ts'
import type { InstallationLanguage } from './i18n/language-of.ts'

export const ROLES = ['api', 'gateway', 'worker'] as const
export type Role = (typeof ROLES)[number]

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export const HTTPS_MODES = ['auto', 'on', 'off'] as const

/**
 * Everything that an operator can set. Read once at start, before anything else (`src/config.ts`).
 */
export interface Config {
  /** Address that the web console, the API and the gateway listen on. */
  host: string
  /** Port of the console and the API; 0 takes any free one. */
  httpPort: number
  /** Whether the console and the API are served by HTTPS; see `servesHttps`. */
  https: (typeof HTTPS_MODES)[number]
  /** Port of HTTPS; 0 takes any free one, undefined is the port of HTTP. */
  httpsPort: number | undefined
  /** Files of the site's certificate and its key; undefined: others are found (kernel/tls/). */
  tlsCertificate: string | undefined
  tlsKey: string | undefined
  /** Names for which a certificate is asked for by ACME; empty: none is. */
  acmeDomains: readonly string[]
  acmeMail: string | undefined
  acmeDirectory: string
  /** Port of the SSH entry; 0 takes any free one. */
  sshPort: number
  /** What people call this node; undefined for the name of the machine. */
  nodeName: string | undefined
  /** The address on which it listens for other nodes; undefined for `host`. */
  linkHost: string | undefined
  /** 0 takes any free one. */
  linkPort: number
  /** Where other nodes reach it; undefined for where it listens. */
  linkAddress: string | undefined
  /** Folder of all that must survive a restart: database, recordings, `secret.key`. Absolute. */
  dataDirectory: string
  /** An external PostgreSQL, 14 to 18; undefined for the embedded one. */
  databaseUrl: string | undefined
  /** Folder of PostgreSQL's programs for the embedded one, or `distribution`; undefined: see `choosePostgres`. */
  postgresBin: string | undefined
  /** Password of the first administrator; undefined: one is made up. */
  adminPassword: string | undefined
  /**
   * What secrets are sealed with, instead of `secret.key`; every node of one installation needs the
   * same.
   */
  secretKey: string | undefined
  /** What secrets are to be sealed with after the next rotation (docs/operate-keys.md). */
  nextSecretKey: string | undefined
  /**
   * What components register with (docs/rules/terminal.md#gateway_boot); undefined refuses them
   * all.
   */
  bootstrapToken: string | undefined
  /** Bearer token that opens `/metrics`; undefined: closed to everybody. */
  metricsToken: string | undefined
  /** Public key that licenses are checked with, instead of `license-public-key.pem`. */
  licensePublicKey: string | undefined
  /** The license of the installation until one is imported. */
  license: string | undefined
  /** Whether an installation that was given no license has one for Community. */
  communityLicense: boolean
  /** What people get who have not chosen a language. */
  language: InstallationLanguage
  /** What this process does; an installation may split them over several. */
  roles: readonly Role[]
  /** Seconds for which a stopping node goes on, unready, before it stops. */
  drainSeconds: number
  /** Days for which logs and sessions are kept whatever their retention settings say. */
  keepAtLeastDays: number
  /** Least level that is logged. */
  logLevel: LogLevel
  /** Addresses and networks whose X-Forwarded-For and X-Forwarded-Proto are believed. */
  trustedProxies: readonly string[]
  /** Addresses and networks that no target may be in, besides those closed to every call. */
  closedTargets: readonly string[]
  /** Requests that a person may send in a minute, to each node. */
  requestsOfPerson: number
  /** Requests of an address, likewise, for as long as nobody is known behind them. */
  requestsOfAddress: number
  /**
   * HTTP connections on which nobody is known and nothing is being answered: of everybody together,
   * and from one address.
   */
  httpUnauthenticated: number
  httpUnauthenticatedOfAddress: number
  /** For so many seconds the body of a request may stop coming. */
  httpStallSeconds: number
  /** SSH connections at a time, at each node: of everybody together, and of one person. */
  sshConnections: number
  sshConnectionsOfPerson: number
  /** Limit of those that have not signed in yet: for all together, and for one address. */
  sshUnauthenticated: number
  sshUnauthenticatedOfAddress: number
  /** Port for clients of PostgreSQL; 0: there is none. */
  postgresqlPort: number
  /** Likewise of MySQL and MariaDB. */
  mysqlPort: number
  /** Likewise of Redis. */
  redisPort: number
  /** Likewise of Kubernetes. */
  kubernetesPort: number
  /** Likewise of desktops, for VNC viewers. */
  vncPort: number
  /** Likewise for clients of RDP. */
  rdpPort: number
  /** Files of the certificate that clients of databases are shown, and of its key. */
  databaseCertificate: string | undefined
  databaseKey: string | undefined
  /** Connections of clients of databases, counted as those over SSH. */
  databaseConnections: number
  databaseConnectionsOfPerson: number
  databaseUnauthenticated: number
  databaseUnauthenticatedOfAddress: number
  /** Whether lists of files hold names that begin with a dot. */
  sftpShowHidden: boolean
  /**
   * Largest archive that the file manager downloads, in bytes (docs/rules/gateway.md#archives).
   */
  zipMaxSize: number
  /** A bucket and a folder in it for recordings; undefined keeps them in the data directory. */
  recordings: { bucket: string; prefix: string } | undefined
  /** Where that bucket's store answers; no slash at the end. Undefined for Amazon's in the region. */
  recordingsEndpoint: string | undefined
  recordingsRegion: string
  /** The access key of this installation at the store; set with `recordings`. */
  recordingsAccessKey: string | undefined
  recordingsSecretKey: string | undefined
  /** Where backups go: a folder, or `s3://bucket/folder`; undefined for nowhere. */
  backup: string | undefined
  /** When they are made: a cron expression. */
  backupAt: string
  /** How many are kept. */
  backupKeep: number
  /** The key of the secrets is in each, sealed under this; undefined: in none. */
  backupPassphrase: string | undefined
  /** The store of backups; undefined for what recordings have. */
  backupEndpoint: string | undefined
  backupRegion: string | undefined
  backupAccessKey: string | undefined
  backupSecretKey: string | undefined
  /** Where the providers of short messages are called; no slash at the end. */
  smsAlibabaUrl: string
  smsTencentUrl: string
  /** A reverse proxy for calls to public clouds; no slash at the end. Undefined: they are called directly. */
  cloudRelay: string | undefined
  /**
   * Settings of the console that come from the environment (docs/configure.md); each holds until an
   * administrator stores another value.
   */
  settings: Partial<Settings>
  /**
   * All settings that were given, by the names of their variables, as texts; null for those whose
   * values are secrets, or may hold one. For people who look at an installation, or restore it.
   */
  given: Readonly<Record<string, string | null>>
}
