/**
 * The types of applications (docs/rules/applications.md#types, A3.24). Forms, validation
 * and metadata come from this table; a type is nowhere else.
 */
import type { Fields } from '../../define.ts'

export const APPLICATION_CATEGORIES = { db: 'Database', remote_app: 'Remote app', cloud: 'Cloud' } as const
export type ApplicationCategory = keyof typeof APPLICATION_CATEGORIES

export interface ApplicationTypeInfo {
  label: string
  category: ApplicationCategory
  /** Protocols of the system users that fit. */
  protocol: string
  /** Port of the server; null where the address has it, or the machine of a remote app. */
  port: number | null
  /** Whether the server refuses new ones, and changes, while no license is valid (A2.22). */
  needsLicense: boolean
  attrs: Fields
}

const port = <const D extends number>(usual: D) =>
  ({ type: 'integer', label: 'Port', nullable: true, default: usual, min: 1, max: 65_535 }) as const

const database = <const D extends number>(usual: D) =>
  ({
    host: {
      type: 'string',
      label: 'Host',
      helpText: 'As this server or a gateway of the domain reaches it, such as db.example.com',
      required: true,
      nullable: true,
      maxLength: 128,
    },
    port: port(usual),
    database: { type: 'string', label: 'Database', required: true, nullable: true, blank: true, maxLength: 128 },
  }) as const

/** Where the database is named in another way than by its name. */
const named = <const D extends number>(usual: D, helpText: string) => {
  const { database: name, ...server } = database(usual)
  return { ...server, database: { ...name, helpText } } as const
}

const machine = {
  /** `{id, hostname}`; empty once the machine is gone. */
  asset_info: { type: 'object', label: 'Asset', readOnly: true },
  asset: { type: 'ref', label: 'Asset', to: 'asset', required: true },
} as const
const optional = (label: string) => ({ type: 'string', label, nullable: true, maxLength: 128 }) as const
const secret = (label: string) => ({ type: 'string', label, nullable: true, maxLength: 128, writeOnly: true }) as const
const program = <const P extends string>(usual: P) =>
  ({ type: 'string', label: 'Application path', nullable: true, maxLength: 128, default: usual }) as const

const db = { category: 'db', needsLicense: false } as const
const remoteApp = { category: 'remote_app', protocol: 'rdp', port: null, needsLicense: true } as const

export const APPLICATION_TYPES = {
  mysql: { ...db, label: 'MySQL', protocol: 'mysql', port: 3306, attrs: database(3306) },
  oracle: {
    ...db,
    label: 'Oracle',
    protocol: 'oracle',
    port: 1521,
    needsLicense: true,
    attrs: named(1521, 'Its service name, such as ORCLPDB1'),
  },
  redis: { ...db, label: 'Redis', protocol: 'redis', port: 6379, attrs: named(6379, 'Its number, usually 0') },
  postgresql: {
    ...db,
    label: 'PostgreSQL',
    protocol: 'postgresql',
    port: 5432,
    needsLicense: true,
    attrs: database(5432),
  },
  mariadb: { ...db, label: 'MariaDB', protocol: 'mariadb', port: 3306, needsLicense: true, attrs: database(3306) },
  sqlserver: {
    ...db,
    label: 'SQLServer',
    protocol: 'sqlserver',
    port: 1433,
    needsLicense: true,
    attrs: database(1433),
  },
  chrome: {
    ...remoteApp,
    label: 'Chrome',
    attrs: {
      ...machine,
      path: program('C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe'),
      chrome_target: {
        ...optional('Target URL'),
        helpText: 'The page that opens, such as https://intranet.example.com',
      },
      chrome_username: { ...optional('Username'), helpText: 'Handed to the program when it starts' },
      chrome_password: secret('Password'),
    },
  },
  mysql_workbench: {
    ...remoteApp,
    label: 'MySQL Workbench',
    attrs: {
      ...machine,
      path: program('C:\\Program Files\\MySQL\\MySQL Workbench 8.0 CE\\MySQLWorkbench.exe'),
      mysql_workbench_ip: { ...optional('IP'), helpText: 'The database server, as the asset reaches it' },
      mysql_workbench_port: { type: 'integer', label: 'Port', nullable: true, min: 1, max: 65_535 },
      mysql_workbench_name: optional('Database'),
      mysql_workbench_username: { ...optional('Username'), helpText: 'Handed to the program when it starts' },
      mysql_workbench_password: secret('Password'),
    },
  },
  vmware_client: {
    ...remoteApp,
    label: 'vSphere Client',
    attrs: {
      ...machine,
      path: program(
        'C:\\Program Files (x86)\\VMware\\Infrastructure\\Virtual Infrastructure Client\\Launcher\\VpxClient.exe',
      ),
      vmware_target: {
        ...optional('Target URL'),
        helpText: 'The server that it opens, such as https://vcenter.example.com',
      },
      vmware_username: { ...optional('Username'), helpText: 'Handed to the program when it starts' },
      vmware_password: secret('Password'),
    },
  },
  custom: {
    ...remoteApp,
    label: 'Custom',
    attrs: {
      ...machine,
      path: {
        type: 'string',
        label: 'Application path',
        helpText: 'Full path of the program on the asset',
        required: true,
        nullable: true,
        maxLength: 128,
      },
      custom_cmdline: { ...optional('Parameters'), helpText: 'What follows the program on its command line' },
      custom_target: optional('Target URL'),
      custom_username: { ...optional('Username'), helpText: 'Handed to the program when it starts' },
      custom_password: secret('Password'),
    },
  },
  k8s: {
    category: 'cloud',
    label: 'Kubernetes',
    protocol: 'k8s',
    port: null,
    needsLicense: false,
    attrs: {
      cluster: {
        type: 'string',
        label: 'Cluster',
        helpText: 'Address of its API, such as https://10.0.0.8:6443',
        required: true,
        nullable: true,
        maxLength: 1024,
      },
    },
  },
} as const satisfies Record<string, ApplicationTypeInfo>
export type ApplicationType = keyof typeof APPLICATION_TYPES

/** One column of the table, by type. */
function column<K extends keyof ApplicationTypeInfo>(name: K) {
  return Object.fromEntries(Object.entries(APPLICATION_TYPES).map(([type, info]) => [type, info[name]])) as {
    readonly [T in ApplicationType]: (typeof APPLICATION_TYPES)[T][K]
  }
}

export const APPLICATION_TYPE_LABELS = column('label')
export const APPLICATION_ATTRS = column('attrs')

/** Undefined for a text that names no type. */
export const applicationType = (type: unknown): ApplicationTypeInfo | undefined =>
  typeof type === 'string' && Object.hasOwn(APPLICATION_TYPES, type)
    ? APPLICATION_TYPES[type as ApplicationType]
    : undefined

/** The types of a category, in the order of the table. */
export const typesOf = (category: string): ApplicationType[] =>
  (Object.keys(APPLICATION_TYPES) as ApplicationType[]).filter((type) => APPLICATION_TYPES[type].category === category)
