import {
  atLeast,
  bucketAddress,
  count,
  databaseUrl,
  host,
  isNetwork,
  list,
  port,
  seconds,
  size,
  text,
  webAddress,
} from './config-values.ts'
import { type Config, LOG_LEVELS, ROLES } from './kernel/config.ts'

interface Setting {
  field: keyof Config
  /** What a value must be, as a sentence's end: "SALLYPORT_HTTP_PORT must be …". */
  shape: string
  /** As it would be written; '' when unset means something of its own. */
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
    meaning: 'Address to listen on. A real installation sets `0.0.0.0` (or an address of its own) behind TLS.',
    read: host,
  },
  SALLYPORT_HTTP_PORT: {
    field: 'httpPort',
    shape: 'a port from 0 to 65535',
    standard: '8080',
    meaning: 'Port of the web console and the API; `0` takes any free one.',
    read: port,
  },
  SALLYPORT_SSH_PORT: {
    field: 'sshPort',
    shape: 'a port from 0 to 65535',
    standard: '2222',
    meaning: 'The entry for plain SSH clients; `0` takes any free one.',
    read: port,
  },
  SALLYPORT_NODE_NAME: {
    field: 'nodeName',
    shape: 'up to 64 letters, digits, dots, dashes and underscores',
    standard: '',
    meaning:
      'What this node is called, in the list of terminals as `[KoKo]-<name>`. Without it the name of the machine; a second node of that name becomes `<name>-2`.',
    read: (value) => (/^[\w.-]{1,64}$/.test(value) ? value : undefined),
  },
  SALLYPORT_LINK_HOST: {
    field: 'linkHost',
    shape: 'an address or a host name',
    standard: '',
    meaning:
      'Address on which this node listens for the other nodes of the installation ([scaling.md](scaling.md)). Without it `SALLYPORT_HOST`.',
    read: host,
  },
  SALLYPORT_LINK_PORT: {
    field: 'linkPort',
    shape: 'a port from 0 to 65535',
    standard: '0',
    meaning: 'Port of the same; `0` takes any free one: the others find it in the database.',
    read: port,
  },
  SALLYPORT_LINK_ADDRESS: {
    field: 'linkAddress',
    shape: 'an address or a host name',
    standard: '',
    meaning:
      'Where the other nodes reach this one, if not where it listens. Without it, and listening on all addresses, the first address of the machine.',
    read: host,
  },
  SALLYPORT_DATA_DIR: {
    field: 'dataDirectory',
    shape: 'a folder',
    standard: './data',
    meaning:
      'Folder of all that must survive a restart: database, recordings, `secret.key`. A relative path starts where Sallyport is started.',
    read: text,
  },
  DATABASE_URL: {
    field: 'databaseUrl',
    shape: 'an address like postgres://user:password@host:5432/database',
    standard: '',
    meaning: 'A PostgreSQL 18 of your own. Without it Sallyport runs its own in the data directory.',
    read: databaseUrl,
  },
  SALLYPORT_ADMIN_PASSWORD: {
    field: 'adminPassword',
    shape: 'at least 8 characters',
    standard: '',
    meaning:
      'Password of the first administrator `admin`, for unattended installs. Without it one is made up, kept in `admin-password.txt` of the data directory, shown where the first start is in a terminal, and changed at the first sign-in.',
    read: atLeast(8),
  },
  SALLYPORT_SECRET_KEY: {
    field: 'secretKey',
    shape: 'at least 32 characters',
    standard: '',
    meaning:
      'What passwords and keys of your machines are sealed with, the same on every node. Without it `secret.key` in the data directory is made and used: back it up apart from the database.',
    read: atLeast(32),
  },
  SALLYPORT_SECRET_KEY_NEXT: {
    field: 'nextSecretKey',
    shape: 'at least 32 characters',
    standard: '',
    meaning:
      'What takes the place of `SALLYPORT_SECRET_KEY` when the key is rotated, the same on every node ([operate-keys.md](operate-keys.md)).',
    read: atLeast(32),
  },
  SALLYPORT_BOOTSTRAP_TOKEN: {
    field: 'bootstrapToken',
    shape: 'at least 16 characters',
    standard: '',
    meaning: 'What additional components register with. Without it none can.',
    read: atLeast(16),
  },
  SALLYPORT_METRICS_TOKEN: {
    field: 'metricsToken',
    shape: 'at least 16 characters',
    standard: '',
    meaning:
      'What a Prometheus sends as its bearer token to read `/metrics`. Without it nobody may: a call from the same machine may be a proxy’s.',
    read: atLeast(16),
  },
  SALLYPORT_LICENSE_PUBLIC_KEY: {
    field: 'licensePublicKey',
    shape: 'an Ed25519 public key, as PEM or its body as one line',
    standard: '',
    meaning:
      'What licenses are checked with. Without it `license-public-key.pem` in the data directory, which `sallyport-admin license` makes (docs/license.md).',
    read: text,
  },
  SALLYPORT_LICENSE: {
    field: 'license',
    shape: 'a license',
    standard: '',
    meaning: 'A license for unattended installs. One that is imported in the console takes its place.',
    read: text,
  },
  SALLYPORT_ROLES: {
    field: 'roles',
    shape: `a comma list of ${ROLES.join(', ')}`,
    standard: ROLES.join(','),
    meaning:
      'What this process does: `api` answers the console and the API, `gateway` carries sessions, `worker` runs background work.',
    read: roles,
  },
  SALLYPORT_DRAIN_SECONDS: {
    field: 'drainSeconds',
    shape: 'a whole number of seconds up to 3600',
    standard: '0',
    meaning:
      'How long a node that is told to stop (SIGTERM) answers 503 at `/api/health/`, and everything else as before, so that load balancers send people elsewhere first. Then it ends its sessions and stops.',
    read: seconds,
  },
  SALLYPORT_KEEP_AT_LEAST_DAYS: {
    field: 'keepAtLeastDays',
    shape: 'a whole number above 0',
    standard: '30',
    meaning:
      'For so many days sign-ins, operations, file transfers, runs of tasks, sessions with their recordings and uses of secrets are kept, even where a retention setting says less: who can change settings should not be able to have the traces gone by tomorrow.',
    read: count,
  },
  SALLYPORT_LOG_LEVEL: {
    field: 'logLevel',
    shape: `one of ${LOG_LEVELS.join(', ')}`,
    standard: 'info',
    meaning: 'Least level that is logged, as lines of JSON on the standard output.',
    read: (value) => LOG_LEVELS.find((level) => level === value),
  },
  SALLYPORT_TRUSTED_PROXIES: {
    field: 'trustedProxies',
    shape: 'a comma list of addresses and networks such as 10.0.0.1, 10.1.0.0/16',
    standard: '',
    meaning:
      'Proxies in front of Sallyport: only their `X-Forwarded-For` and `X-Forwarded-Proto`, and before SSH their PROXY header, are believed.',
    read: (value) => list(value, isNetwork),
  },
  SALLYPORT_CLOSED_TARGETS: {
    field: 'closedTargets',
    shape: 'a comma list of addresses and networks such as 127.0.0.0/8, ::1, 10.9.0.0/16',
    standard: '',
    meaning:
      'Where no machine, application or gateway can be connected to from this server, whoever enters it ([operate-sessions.md](operate-sessions.md)). Metadata services of clouds, and on this machine the ports of Sallyport and of its database, always are closed.',
    read: (value) => list(value, isNetwork),
  },
  SALLYPORT_REQUESTS_PER_PERSON: {
    field: 'requestsOfPerson',
    shape: 'a whole number above 0',
    standard: '30000',
    meaning:
      'Requests that a person may send in a minute to each node; more are answered with 429. Registered components have no limit.',
    read: count,
  },
  SALLYPORT_REQUESTS_PER_ADDRESS: {
    field: 'requestsOfAddress',
    shape: 'a whole number above 0',
    standard: '30000',
    meaning:
      'The same by network address (IPv6: by /64), for requests of which nobody is known: those before a sign-in, and those with a wrong credential.',
    read: count,
  },
  SALLYPORT_HTTP_UNAUTHENTICATED: {
    field: 'httpUnauthenticated',
    shape: 'a whole number above 0',
    standard: '2000',
    meaning:
      'Connections to the HTTP port of each node on which nobody who is signed in has sent a request, and none is being answered; when one more comes, the address that holds most of them loses one. Of websockets on which nobody is known yet, one more is refused with 429.',
    read: count,
  },
  SALLYPORT_HTTP_UNAUTHENTICATED_PER_ADDRESS: {
    field: 'httpUnauthenticatedOfAddress',
    shape: 'a whole number above 0',
    standard: '100',
    meaning:
      'The same by network address (IPv6: by /64), which loses one of its own when one more comes from it. Connections of `SALLYPORT_TRUSTED_PROXIES` are not counted; websockets count by the address that the proxy tells.',
    read: count,
  },
  SALLYPORT_SSH_CONNECTIONS: {
    field: 'sshConnections',
    shape: 'a whole number above 0',
    standard: '2000',
    meaning: 'SSH connections of each node; one more is refused.',
    read: count,
  },
  SALLYPORT_SSH_UNAUTHENTICATED: {
    field: 'sshUnauthenticated',
    shape: 'a whole number above 0',
    standard: '200',
    meaning:
      'SSH connections of each node on which nobody has signed in yet; when one more comes, the address that holds most of them loses one.',
    read: count,
  },
  SALLYPORT_SSH_UNAUTHENTICATED_PER_ADDRESS: {
    field: 'sshUnauthenticatedOfAddress',
    shape: 'a whole number above 0',
    standard: '20',
    meaning: 'The same by network address (IPv6: by /64), which loses one of its own when one more comes from it.',
    read: count,
  },
  SALLYPORT_SSH_CONNECTIONS_PER_PERSON: {
    field: 'sshConnectionsOfPerson',
    shape: 'a whole number above 0',
    standard: '200',
    meaning: 'SSH connections that a person may hold at the same time to each node; one more is refused.',
    read: count,
  },
  SALLYPORT_POSTGRESQL_PORT: {
    field: 'postgresqlPort',
    shape: 'a port from 0 to 65535',
    standard: '0',
    meaning: 'The entry for plain clients of PostgreSQL ([databases.md](databases.md)); `0`: there is none.',
    read: port,
  },
  SALLYPORT_MYSQL_PORT: {
    field: 'mysqlPort',
    shape: 'a port from 0 to 65535',
    standard: '0',
    meaning: 'The entry for plain clients of MySQL and MariaDB ([databases.md](databases.md)); `0`: there is none.',
    read: port,
  },
  SALLYPORT_REDIS_PORT: {
    field: 'redisPort',
    shape: 'a port from 0 to 65535',
    standard: '0',
    meaning: 'The entry for plain clients of Redis ([databases.md](databases.md)); `0`: there is none.',
    read: port,
  },
  SALLYPORT_KUBERNETES_PORT: {
    field: 'kubernetesPort',
    shape: 'a port from 0 to 65535',
    standard: '0',
    meaning:
      'The entry for `kubectl` and other clients of Kubernetes ([kubernetes.md](kubernetes.md)); `0`: there is none.',
    read: port,
  },
  SALLYPORT_VNC_PORT: {
    field: 'vncPort',
    shape: 'a port from 0 to 65535',
    standard: '0',
    meaning:
      'The entry to desktops for VNC viewers, commonly 5900 ([native-clients.md](native-clients.md)); `0`: there is none.',
    read: port,
  },
  SALLYPORT_RDP_PORT: {
    field: 'rdpPort',
    shape: 'a port from 0 to 65535',
    standard: '0',
    meaning:
      'The entry to desktops for clients of RDP such as mstsc, commonly 3389 ([native-clients.md](native-clients.md)); `0`: there is none.',
    read: port,
  },
  SALLYPORT_DATABASE_CERTIFICATE: {
    field: 'databaseCertificate',
    shape: 'a file',
    standard: '',
    meaning:
      'Certificate, with those above it, that clients of databases, Kubernetes and desktops are shown, in PEM. Without it each node makes one that nobody has signed.',
    read: text,
  },
  SALLYPORT_DATABASE_KEY: {
    field: 'databaseKey',
    shape: 'a file',
    standard: '',
    meaning: 'Key of that certificate, in PEM.',
    read: text,
  },
  SALLYPORT_DATABASE_CONNECTIONS: {
    field: 'databaseConnections',
    shape: 'a whole number above 0',
    standard: '2000',
    meaning:
      'Connections of clients of databases, Kubernetes and desktops to each such port of a node; one more is refused.',
    read: count,
  },
  SALLYPORT_DATABASE_UNAUTHENTICATED: {
    field: 'databaseUnauthenticated',
    shape: 'a whole number above 0',
    standard: '200',
    meaning:
      'Of these, such as have not signed in yet; when one more comes, the address that holds most of them loses one.',
    read: count,
  },
  SALLYPORT_DATABASE_UNAUTHENTICATED_PER_ADDRESS: {
    field: 'databaseUnauthenticatedOfAddress',
    shape: 'a whole number above 0',
    standard: '50',
    meaning: 'The same by network address (IPv6: by /64), which loses one of its own when one more comes from it.',
    read: count,
  },
  SALLYPORT_DATABASE_CONNECTIONS_PER_PERSON: {
    field: 'databaseConnectionsOfPerson',
    shape: 'a whole number above 0',
    standard: '200',
    meaning: 'Connections that the clients of a person may hold at the same time to each node; one more is refused.',
    read: count,
  },
  SALLYPORT_SFTP_SHOW_HIDDEN_FILE: {
    field: 'sftpShowHidden',
    shape: 'true or false',
    standard: 'false',
    meaning: 'Whether the tree of granted files lists names that begin with a dot.',
    read: (value) => (value === 'true' || value === 'false' ? value === 'true' : undefined),
  },
  SALLYPORT_ZIP_MAX_SIZE: {
    field: 'zipMaxSize',
    shape: 'a size such as 512M or 2G',
    standard: '1024M',
    meaning: 'Bytes of files that the file manager packs into one archive; `K`, `M`, `G` and `T` are powers of 1024.',
    read: size,
  },
  SALLYPORT_RECORDINGS: {
    field: 'recordings',
    shape: 'an address such as s3://bucket or s3://bucket/folder',
    standard: '',
    meaning:
      'A bucket of an S3-compatible store in which recordings are kept, the same on every node ([operate-recordings.md](operate-recordings.md)). Without it they lie in the data directory.',
    read: bucketAddress,
  },
  SALLYPORT_RECORDINGS_ENDPOINT: {
    field: 'recordingsEndpoint',
    shape: 'an address such as https://s3.example.com',
    standard: '',
    meaning:
      'Where the store of that bucket answers; its host begins with the bucket where the store wants that. Without it Amazon S3 in the region.',
    read: webAddress,
  },
  SALLYPORT_RECORDINGS_REGION: {
    field: 'recordingsRegion',
    shape: 'a name such as eu-central-1',
    standard: 'us-east-1',
    meaning: 'Region of the bucket. Stores of your own mostly take the default.',
    read: (value) => (/^[\w-]+$/.test(value) ? value : undefined),
  },
  SALLYPORT_RECORDINGS_ACCESS_KEY: {
    field: 'recordingsAccessKey',
    shape: 'an access key of the store',
    standard: '',
    meaning: 'Whom the store takes Sallyport for: one who may list, read, write and delete in the bucket.',
    read: text,
  },
  SALLYPORT_RECORDINGS_SECRET_KEY: {
    field: 'recordingsSecretKey',
    shape: 'the secret of that access key',
    standard: '',
    meaning: 'What requests to the store are signed with. It goes into no log and no answer.',
    read: text,
  },
  SALLYPORT_SMS_ALIBABA_URL: {
    field: 'smsAlibabaUrl',
    shape: 'an address such as https://dysmsapi.aliyuncs.com',
    standard: 'https://dysmsapi.aliyuncs.com',
    meaning: 'Where short messages by Alibaba Cloud are handed in; a private deployment has its own.',
    read: webAddress,
  },
  SALLYPORT_SMS_TENCENT_URL: {
    field: 'smsTencentUrl',
    shape: 'an address such as https://sms.tencentcloudapi.com',
    standard: 'https://sms.tencentcloudapi.com',
    meaning: 'Where short messages by Tencent Cloud are handed in; a private deployment has its own.',
    read: webAddress,
  },
  SALLYPORT_CLOUD_RELAY: {
    field: 'cloudRelay',
    shape: 'an address such as http://relay.example.com:8443',
    standard: '',
    meaning:
      'A reverse proxy through which machines of public clouds are listed, where this server has no way to the internet: calls go there, with the host that they are for in their header `Host`. Clouds are called directly where this is not set; private ones always are.',
    read: webAddress,
  },
}
