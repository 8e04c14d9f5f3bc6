import {
  atLeast,
  backupPlace,
  bucketAddress,
  count,
  cronExpression,
  databaseUrl,
  directoryAddress,
  host,
  hostNames,
  isNetwork,
  list,
  mailAddress,
  port,
  seconds,
  size,
  text,
  trueOrFalse,
  webAddress,
} from './config-values.ts'
import { type Config, HTTPS_MODES, LOG_LEVELS, ROLES } from './kernel/config.ts'
import { INSTALLATION_LANGUAGES } from './kernel/i18n/language-of.ts'

interface Setting {
  field: keyof Config
  /** The rule of a value, as a sentence's end: "SALLYPORT_HTTP_PORT must be …". */
  shape: string
  /** As it would be written; '' when `meaning` describes the default, or there is none. */
  standard: string
  /** For the settings page. */
  meaning: string
  /** Value of a text, or undefined when it is not of the shape. */
  read: (text: string) => unknown
}

function roles(value: string): string[] | undefined {
  const named = list(value, (part) => (ROLES as readonly string[]).includes(part))
  return named?.length ? named : undefined
}

/**
 * The one list of settings, by the name of their variable; `docs/configure.md` is made from it, in
 * this order.
 */
export const SETTINGS: Readonly<Record<string, Setting>> = {
  SALLYPORT_HOST: {
    field: 'host',
    shape: 'an address or a host name',
    standard: '127.0.0.1',
    meaning:
      'Address to listen on. Set `0.0.0.0`, or an address of the machine, for people on other machines. HTTPS is then on by itself, unless a proxy is named in `SALLYPORT_TRUSTED_PROXIES`.',
    read: host,
  },
  SALLYPORT_HTTP_PORT: {
    field: 'httpPort',
    shape: 'a port from 0 to 65535',
    standard: '8080',
    meaning: 'Port of the web console and the API. `0` takes any free one.',
    read: port,
  },
  SALLYPORT_HTTPS: {
    field: 'https',
    shape: `one of ${HTTPS_MODES.join(', ')}`,
    standard: 'auto',
    meaning:
      'Whether the console and the API are served by HTTPS ([tls.md](tls.md)). `auto` is `on` where a certificate or domains are named below, and where people of other machines would else send passwords in clear: `SALLYPORT_HOST` is not this machine alone and no proxy is named. With `on`, HTTP leads to HTTPS.',
    read: (value) => HTTPS_MODES.find((mode) => mode === value),
  },
  SALLYPORT_HTTPS_PORT: {
    field: 'httpsPort',
    shape: 'a port from 0 to 65535',
    standard: '',
    meaning:
      'Port of HTTPS. By default it is that of HTTP, which takes both, and 443 where that is 80. `0` takes any free one.',
    read: port,
  },
  SALLYPORT_TLS_CERTIFICATE: {
    field: 'tlsCertificate',
    shape: 'a file',
    standard: '',
    meaning:
      'Certificate of the site with its chain (PEM), for HTTPS and for clients of databases, Kubernetes and desktops. The file is watched: a new one counts without a restart.',
    read: text,
  },
  SALLYPORT_TLS_KEY: {
    field: 'tlsKey',
    shape: 'a file',
    standard: '',
    meaning: 'Key of that certificate (PEM), without a passphrase. It is watched as well.',
    read: text,
  },
  SALLYPORT_ACME_DOMAINS: {
    field: 'acmeDomains',
    shape: 'a comma list of host names such as door.example.com, without wildcards',
    standard: '',
    meaning:
      'Names for which a certificate is requested by ACME and renewed. Their port 80 or 443 must lead to this server. To name them is to accept the terms of the authority. It is the same on every node.',
    read: hostNames,
  },
  SALLYPORT_ACME_MAIL: {
    field: 'acmeMail',
    shape: 'a mail address',
    standard: '',
    meaning: 'Address at which the authority reaches you about those certificates.',
    read: mailAddress,
  },
  SALLYPORT_ACME_DIRECTORY: {
    field: 'acmeDirectory',
    shape: 'an address such as https://acme-v02.api.letsencrypt.org/directory',
    standard: 'https://acme-v02.api.letsencrypt.org/directory',
    meaning: "The authority's directory. `NODE_EXTRA_CA_CERTS` names the authority of one inside your network.",
    read: directoryAddress,
  },
  SALLYPORT_SSH_PORT: {
    field: 'sshPort',
    shape: 'a port from 0 to 65535',
    standard: '2222',
    meaning: 'Port for SSH clients. `0` takes any free one.',
    read: port,
  },
  SALLYPORT_NODE_NAME: {
    field: 'nodeName',
    shape: 'up to 64 letters, digits, dots, dashes and underscores',
    standard: '',
    meaning:
      'Name of this node. The list of terminals shows it as `[KoKo]-<name>`. The default is the name of the machine; a second node of that name becomes `<name>-2`.',
    read: (value) => (/^[\w.-]{1,64}$/.test(value) ? value : undefined),
  },
  SALLYPORT_LINK_HOST: {
    field: 'linkHost',
    shape: 'an address or a host name',
    standard: '',
    meaning:
      'Address on which this node listens for the other nodes ([scaling.md](scaling.md)). The default is `SALLYPORT_HOST`.',
    read: host,
  },
  SALLYPORT_LINK_PORT: {
    field: 'linkPort',
    shape: 'a port from 0 to 65535',
    standard: '0',
    meaning: 'Port for the other nodes. `0` takes any free one: the others find it in the database.',
    read: port,
  },
  SALLYPORT_LINK_ADDRESS: {
    field: 'linkAddress',
    shape: 'an address or a host name',
    standard: '',
    meaning:
      'Address at which the other nodes reach this one, if it differs from `SALLYPORT_LINK_HOST`. A node that listens on all addresses gives the first address of the machine by default.',
    read: host,
  },
  SALLYPORT_DATA_DIR: {
    field: 'dataDirectory',
    shape: 'a folder',
    standard: './data',
    meaning:
      'Folder of everything that must survive a restart: database, recordings, `secret.key`. A relative path begins in the folder where Sallyport is started.',
    read: text,
  },
  DATABASE_URL: {
    field: 'databaseUrl',
    shape: 'an address like postgres://user:password@host:5432/database',
    standard: '',
    meaning: 'Your own PostgreSQL, 14 to 18. By default Sallyport runs one in the data directory.',
    read: databaseUrl,
  },
  SALLYPORT_POSTGRES_BIN: {
    field: 'postgresBin',
    shape: 'a folder with PostgreSQL programs, or distribution',
    standard: '',
    meaning:
      "Folder with PostgreSQL's programs, such as `/usr/lib/postgresql/15/bin`, which Sallyport runs in the data directory. `distribution` finds those of the distribution. By default it runs those that came with it ([the embedded PostgreSQL](#the-embedded-postgresql)).",
    read: text,
  },
  SALLYPORT_ADMIN_PASSWORD: {
    field: 'adminPassword',
    shape: 'at least 6 characters',
    standard: '',
    meaning:
      'First password of the administrator `admin`, for unattended installs. By default one is generated and kept in `admin-password.txt` of the data directory. A first start in a terminal shows it. It must be changed at the first sign-in.',
    // The same as the standard of SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH.
    read: atLeast(6),
  },
  SALLYPORT_SECRET_KEY: {
    field: 'secretKey',
    shape: 'at least 32 characters',
    standard: '',
    meaning:
      'Key that seals the passwords and keys of your machines. It is the same on every node. By default `secret.key` is made in the data directory: back it up apart from the database.',
    read: atLeast(32),
  },
  SALLYPORT_SECRET_KEY_NEXT: {
    field: 'nextSecretKey',
    shape: 'at least 32 characters',
    standard: '',
    meaning:
      'The next `SALLYPORT_SECRET_KEY`, for a rotation of the key. It is the same on every node ([operate-keys.md](operate-keys.md)).',
    read: atLeast(32),
  },
  SALLYPORT_BOOTSTRAP_TOKEN: {
    field: 'bootstrapToken',
    shape: 'at least 16 characters',
    standard: '',
    meaning: 'Token with which additional components register. Without it none can.',
    read: atLeast(16),
  },
  SALLYPORT_METRICS_TOKEN: {
    field: 'metricsToken',
    shape: 'at least 16 characters',
    standard: '',
    meaning:
      'Bearer token with which Prometheus reads `/metrics`. Without it nobody can, not even from the same machine: such a call may come from a proxy.',
    read: atLeast(16),
  },
  SALLYPORT_LICENSE_PUBLIC_KEY: {
    field: 'licensePublicKey',
    shape: 'an Ed25519 public key, as PEM or its body as one line',
    standard: '',
    meaning:
      'Key with which licenses are checked. The default is `license-public-key.pem` in the data directory, made by `sallyport-admin license` ([license.md](license.md)).',
    read: text,
  },
  SALLYPORT_LICENSE: {
    field: 'license',
    shape: 'a license',
    standard: '',
    meaning: 'A license for unattended installs. A license that is imported in the console replaces it.',
    read: text,
  },
  SALLYPORT_COMMUNITY_LICENSE: {
    field: 'communityLicense',
    shape: 'true or false',
    standard: 'true',
    meaning:
      'Whether an installation without any other license has one for Community, without end, so that everything is open. With `false` none is made, one that was made no longer counts, and what needs a license is closed without one ([license.md](license.md)). It is the same on every node.',
    read: trueOrFalse,
  },
  SALLYPORT_LANGUAGE: {
    field: 'language',
    shape: `one of ${INSTALLATION_LANGUAGES.join(', ')}`,
    standard: 'cn',
    meaning:
      'Language for people who have not chosen one: `cn` is Chinese, `en` English, and `browser` the first of the two that their browser asks for (`Accept-Language`), Chinese where it asks for neither. It holds for pages, the API, mails, messages and terminals. Mails and terminals have no browser to ask: with `browser` they are Chinese until a person was seen in the console. A choice always wins: the switch at the top of the sign-in page and in the top bar, and over SSH the `LANG` that a client sends. It is the same on every node.',
    read: (value) => INSTALLATION_LANGUAGES.find((language) => language === value),
  },
  SALLYPORT_ROLES: {
    field: 'roles',
    shape: `a comma list of ${ROLES.join(', ')}`,
    standard: ROLES.join(','),
    meaning:
      'Work of this process: `api` answers the console and the API, `gateway` carries sessions, `worker` runs background jobs.',
    read: roles,
  },
  SALLYPORT_DRAIN_SECONDS: {
    field: 'drainSeconds',
    shape: 'a whole number of seconds up to 3600',
    standard: '0',
    meaning:
      'Seconds between SIGTERM and the end. During them the node answers 503 at `/api/health/` and everything else as before, so that load balancers send people elsewhere. Then it ends its sessions and stops.',
    read: seconds,
  },
  SALLYPORT_KEEP_AT_LEAST_DAYS: {
    field: 'keepAtLeastDays',
    shape: 'a whole number above 0',
    standard: '30',
    meaning:
      'Days for which sign-ins, operations, file transfers, runs of tasks, sessions with their recordings and uses of secrets are kept, even if a retention setting says less. A person who can change settings should not be able to remove traces by tomorrow.',
    read: count,
  },
  SALLYPORT_LOG_LEVEL: {
    field: 'logLevel',
    shape: `one of ${LOG_LEVELS.join(', ')}`,
    standard: 'info',
    meaning: 'Lowest level that is logged. The log is lines of JSON on the standard output.',
    read: (value) => LOG_LEVELS.find((level) => level === value),
  },
  SALLYPORT_TRUSTED_PROXIES: {
    field: 'trustedProxies',
    shape: 'a comma list of addresses and networks such as 10.0.0.1, 10.1.0.0/16',
    standard: '',
    meaning:
      'Proxies in front of Sallyport. Only their `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host`, and their PROXY header before SSH, are believed.',
    read: (value) => list(value, isNetwork),
  },
  SALLYPORT_CLOSED_TARGETS: {
    field: 'closedTargets',
    shape: 'a comma list of addresses and networks such as 127.0.0.0/8, ::1, 10.9.0.0/16',
    standard: '',
    meaning:
      'Addresses to which this server never connects for a machine, application or gateway ([operate-sessions.md](operate-sessions.md#where-targets-may-be)). Always closed are metadata services of clouds and, on this machine, the ports of Sallyport and its database.',
    read: (value) => list(value, isNetwork),
  },
  SALLYPORT_REQUESTS_PER_PERSON: {
    field: 'requestsOfPerson',
    shape: 'a whole number above 0',
    standard: '30000',
    meaning:
      'Requests of one person in a minute to each node. More are answered with 429. Registered components have no limit.',
    read: count,
  },
  SALLYPORT_REQUESTS_PER_ADDRESS: {
    field: 'requestsOfAddress',
    shape: 'a whole number above 0',
    standard: '30000',
    meaning:
      'Requests of one network address (IPv6: a /64) in a minute to each node, where the caller is not known: before a sign-in, or with a wrong credential. More are answered with 429.',
    read: count,
  },
  SALLYPORT_HTTP_UNAUTHENTICATED: {
    field: 'httpUnauthenticated',
    shape: 'a whole number above 0',
    standard: '2000',
    meaning:
      'Idle connections to the HTTP port of each node on which no signed-in person has sent a request. With one more, the address that has most of them loses one. The same number of websockets can be unauthenticated; one more is refused with 429.',
    read: count,
  },
  SALLYPORT_HTTP_UNAUTHENTICATED_PER_ADDRESS: {
    field: 'httpUnauthenticatedOfAddress',
    shape: 'a whole number above 0',
    standard: '100',
    meaning:
      'Such connections of one network address (IPv6: a /64). With one more, it loses one of its own. Connections of `SALLYPORT_TRUSTED_PROXIES` are not counted; websockets count for the address that the proxy reports.',
    read: count,
  },
  SALLYPORT_HTTP_STALL_SECONDS: {
    field: 'httpStallSeconds',
    shape: 'a whole number above 0',
    standard: '60',
    meaning:
      'Seconds in each of which spans the body of a request must bring a kilobyte: an upload may take as long as it likes while it goes on, and is answered with 408 where it stops. Of requests of which nobody is known, the whole body must have come by then.',
    read: count,
  },
  SALLYPORT_SSH_CONNECTIONS: {
    field: 'sshConnections',
    shape: 'a whole number above 0',
    standard: '2000',
    meaning: 'SSH connections of each node. One more is refused.',
    read: count,
  },
  SALLYPORT_SSH_UNAUTHENTICATED: {
    field: 'sshUnauthenticated',
    shape: 'a whole number above 0',
    standard: '200',
    meaning: 'SSH connections of each node before sign-in. With one more, the address that has most of them loses one.',
    read: count,
  },
  SALLYPORT_SSH_UNAUTHENTICATED_PER_ADDRESS: {
    field: 'sshUnauthenticatedOfAddress',
    shape: 'a whole number above 0',
    standard: '20',
    meaning:
      'SSH connections before sign-in of one network address (IPv6: a /64). With one more, it loses one of its own.',
    read: count,
  },
  SALLYPORT_SSH_CONNECTIONS_PER_PERSON: {
    field: 'sshConnectionsOfPerson',
    shape: 'a whole number above 0',
    standard: '200',
    meaning: 'SSH connections of one person at the same time to each node. One more is refused.',
    read: count,
  },
  SALLYPORT_POSTGRESQL_PORT: {
    field: 'postgresqlPort',
    shape: 'a port from 0 to 65535',
    standard: '0',
    meaning: 'Port for clients of PostgreSQL ([databases.md](databases.md)). `0` opens none.',
    read: port,
  },
  SALLYPORT_MYSQL_PORT: {
    field: 'mysqlPort',
    shape: 'a port from 0 to 65535',
    standard: '0',
    meaning: 'Port for clients of MySQL and MariaDB ([databases.md](databases.md)). `0` opens none.',
    read: port,
  },
  SALLYPORT_REDIS_PORT: {
    field: 'redisPort',
    shape: 'a port from 0 to 65535',
    standard: '0',
    meaning: 'Port for clients of Redis ([databases.md](databases.md)). `0` opens none.',
    read: port,
  },
  SALLYPORT_KUBERNETES_PORT: {
    field: 'kubernetesPort',
    shape: 'a port from 0 to 65535',
    standard: '0',
    meaning: 'Port for `kubectl` and other clients of Kubernetes ([kubernetes.md](kubernetes.md)). `0` opens none.',
    read: port,
  },
  SALLYPORT_VNC_PORT: {
    field: 'vncPort',
    shape: 'a port from 0 to 65535',
    standard: '0',
    meaning: 'Port for VNC viewers, commonly 5900 ([native-clients.md](native-clients.md)). `0` opens none.',
    read: port,
  },
  SALLYPORT_RDP_PORT: {
    field: 'rdpPort',
    shape: 'a port from 0 to 65535',
    standard: '0',
    meaning:
      'Port for clients of RDP such as mstsc, commonly 3389 ([native-clients.md](native-clients.md)). `0` opens none.',
    read: port,
  },
  SALLYPORT_DATABASE_CERTIFICATE: {
    field: 'databaseCertificate',
    shape: 'a file',
    standard: '',
    meaning:
      'Another certificate with its chain (PEM) for clients of databases, Kubernetes and desktops. It is watched. By default they are shown that of the site, else one that nobody has signed.',
    read: text,
  },
  SALLYPORT_DATABASE_KEY: {
    field: 'databaseKey',
    shape: 'a file',
    standard: '',
    meaning: 'Key of that certificate (PEM).',
    read: text,
  },
  SALLYPORT_DATABASE_CONNECTIONS: {
    field: 'databaseConnections',
    shape: 'a whole number above 0',
    standard: '2000',
    meaning:
      'Connections to each port for clients of databases, Kubernetes and desktops, on each node. One more is refused.',
    read: count,
  },
  SALLYPORT_DATABASE_UNAUTHENTICATED: {
    field: 'databaseUnauthenticated',
    shape: 'a whole number above 0',
    standard: '200',
    meaning: 'Such connections before sign-in. With one more, the address that has most of them loses one.',
    read: count,
  },
  SALLYPORT_DATABASE_UNAUTHENTICATED_PER_ADDRESS: {
    field: 'databaseUnauthenticatedOfAddress',
    shape: 'a whole number above 0',
    standard: '50',
    meaning:
      'Such connections before sign-in of one network address (IPv6: a /64). With one more, it loses one of its own.',
    read: count,
  },
  SALLYPORT_DATABASE_CONNECTIONS_PER_PERSON: {
    field: 'databaseConnectionsOfPerson',
    shape: 'a whole number above 0',
    standard: '200',
    meaning: 'Such connections of one person at the same time to each node. One more is refused.',
    read: count,
  },
  SALLYPORT_SFTP_SHOW_HIDDEN_FILE: {
    field: 'sftpShowHidden',
    shape: 'true or false',
    standard: 'false',
    meaning: 'Whether the tree of granted files lists names that begin with a dot.',
    read: trueOrFalse,
  },
  SALLYPORT_ZIP_MAX_SIZE: {
    field: 'zipMaxSize',
    shape: 'a size such as 512M or 2G',
    standard: '1024M',
    meaning:
      'Size of the files that the file manager packs into one archive. `K`, `M`, `G` and `T` are powers of 1024.',
    read: size,
  },
  SALLYPORT_RECORDINGS: {
    field: 'recordings',
    shape: 'an address such as s3://bucket or s3://bucket/folder',
    standard: '',
    meaning:
      'Bucket of an S3-compatible store for recordings, the same on every node ([operate-recordings.md](operate-recordings.md)). By default recordings are in the data directory.',
    read: bucketAddress,
  },
  SALLYPORT_RECORDINGS_ENDPOINT: {
    field: 'recordingsEndpoint',
    shape: 'an address such as https://s3.example.com',
    standard: '',
    meaning:
      'Address of that store. Its host begins with the bucket if the store wants that. The default is Amazon S3 in the region.',
    read: webAddress,
  },
  SALLYPORT_RECORDINGS_REGION: {
    field: 'recordingsRegion',
    shape: 'a name such as eu-central-1',
    standard: 'us-east-1',
    meaning: 'Region of the bucket. Private stores mostly take the default.',
    read: (value) => (/^[\w-]+$/.test(value) ? value : undefined),
  },
  SALLYPORT_RECORDINGS_ACCESS_KEY: {
    field: 'recordingsAccessKey',
    shape: 'an access key of the store',
    standard: '',
    meaning: 'Access key of Sallyport at the store, with the rights to list, read, write and delete in the bucket.',
    read: text,
  },
  SALLYPORT_RECORDINGS_SECRET_KEY: {
    field: 'recordingsSecretKey',
    shape: 'the secret of that access key',
    standard: '',
    meaning: 'Secret with which requests to the store are signed. It is in no log and no answer.',
    read: text,
  },
  SALLYPORT_BACKUP: {
    field: 'backup',
    shape: 'a folder, or an address such as s3://bucket/folder',
    standard: '',
    meaning:
      'Where backups of the whole installation go, by the clock and by `sallyport-admin backup` ([backup.md](backup.md)): a folder on another disk or machine, outside of the data directory, or a bucket of an S3-compatible store. By default none are made.',
    read: backupPlace,
  },
  SALLYPORT_BACKUP_AT: {
    field: 'backupAt',
    shape: 'a cron expression of five parts such as 30 2 * * *',
    standard: '30 2 * * *',
    meaning: 'When backups are made, by the clock of the server.',
    read: cronExpression,
  },
  SALLYPORT_BACKUP_KEEP: {
    field: 'backupKeep',
    shape: 'a whole number above 0',
    standard: '14',
    meaning: 'Complete backups that are kept there. Older ones are removed after the next one.',
    read: count,
  },
  SALLYPORT_BACKUP_PASSPHRASE: {
    field: 'backupPassphrase',
    shape: 'at least 12 characters',
    standard: '',
    meaning:
      'With it every backup also has the key of the secrets, sealed under this passphrase, and a restore opens it. Without it the key is in no backup: keep `secret.key` elsewhere.',
    read: atLeast(12),
  },
  SALLYPORT_BACKUP_ENDPOINT: {
    field: 'backupEndpoint',
    shape: 'an address such as https://s3.example.com',
    standard: '',
    meaning:
      'Address of the store of backups. The default is `SALLYPORT_RECORDINGS_ENDPOINT`, else Amazon S3 in the region.',
    read: webAddress,
  },
  SALLYPORT_BACKUP_REGION: {
    field: 'backupRegion',
    shape: 'a name such as eu-central-1',
    standard: '',
    meaning: 'Region of its bucket. The default is `SALLYPORT_RECORDINGS_REGION`.',
    read: (value) => (/^[\w-]+$/.test(value) ? value : undefined),
  },
  SALLYPORT_BACKUP_ACCESS_KEY: {
    field: 'backupAccessKey',
    shape: 'an access key of the store',
    standard: '',
    meaning:
      'Access key for backups, with the rights to list, read, write and delete in the bucket. The default is `SALLYPORT_RECORDINGS_ACCESS_KEY`.',
    read: text,
  },
  SALLYPORT_BACKUP_SECRET_KEY: {
    field: 'backupSecretKey',
    shape: 'the secret of that access key',
    standard: '',
    meaning: 'Secret of that access key. The default is `SALLYPORT_RECORDINGS_SECRET_KEY`.',
    read: text,
  },
  SALLYPORT_SMS_ALIBABA_URL: {
    field: 'smsAlibabaUrl',
    shape: 'an address such as https://dysmsapi.aliyuncs.com',
    standard: 'https://dysmsapi.aliyuncs.com',
    meaning: 'Address for text messages by Alibaba Cloud. A private deployment has a different one.',
    read: webAddress,
  },
  SALLYPORT_SMS_TENCENT_URL: {
    field: 'smsTencentUrl',
    shape: 'an address such as https://sms.tencentcloudapi.com',
    standard: 'https://sms.tencentcloudapi.com',
    meaning: 'Address for text messages by Tencent Cloud. A private deployment has a different one.',
    read: webAddress,
  },
  SALLYPORT_CLOUD_RELAY: {
    field: 'cloudRelay',
    shape: 'an address such as http://relay.example.com:8443',
    standard: '',
    meaning:
      'Reverse proxy through which machines of public clouds are listed, for a server without the internet. Calls go to it with the host of the cloud in their header `Host`. Without it, clouds are called directly. Private clouds always are.',
    read: webAddress,
  },
}
