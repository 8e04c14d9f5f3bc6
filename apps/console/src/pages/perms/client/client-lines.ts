/**
 * The lines that people copy to connect with a client of their own, by the type of the database. A
 * port of the server makes a type connectable (`connection-token/database-ports.ts` there); its row
 * here says how.
 */
import type { ApplicationType } from '@sallyport/contract/resources/applications/application-types.ts'
import { fileStem } from '../../../lib/file-names.ts'
import { t } from '../../../lib/i18n.ts'
import { session } from '../../../session/session.ts'

/** Where a client connects to, and as whom. */
export interface ClientPlace {
  host: string
  port: number
  /** A connection token; it needs no password. */
  user: string
  database: string
}

export interface ClientLine {
  /** Names of programs, in no language. */
  client: string
  line: string
}

const postgresql = (place: ClientPlace): ClientLine[] => [
  { client: 'psql', line: `psql "postgresql://${encoded(place.user)}@${placeInAddress(place)}?sslmode=require"` },
  {
    client: 'DBeaver, JDBC',
    line: `jdbc:postgresql://${placeInAddress(place)}?user=${encoded(place.user)}&sslmode=require`,
  },
]

/** Clients of MariaDB from 11.4 on would refuse a certificate that nobody has signed. */
const mysql = (place: ClientPlace): ClientLine[] => {
  const where = `--host=${place.host} --port=${place.port} --user=${place.user}${place.database && ` ${quoted(place.database)}`}`
  return [
    { client: 'mysql', line: `mysql ${where}` },
    { client: 'mariadb', line: `mariadb --ssl --disable-ssl-verify-server-cert ${where}` },
    {
      client: 'DBeaver, JDBC',
      line: `jdbc:mariadb://${placeInAddress(place)}?user=${encoded(place.user)}&sslMode=trust`,
    },
  ]
}

/**
 * Without `-n`: a session begins in the database of its application. The password is not looked at,
 * but without one `redis-cli` does not sign in.
 */
const redis = ({ host, port, user }: ClientPlace): ClientLine[] => [
  { client: 'redis-cli', line: `redis-cli -h ${host} -p ${port} --tls --insecure --user ${user} --pass any` },
]

const LINES: Partial<Record<ApplicationType, (place: ClientPlace) => ClientLine[]>> = {
  postgresql,
  mysql,
  mariadb: mysql,
  redis,
}

/** A word of a shell that means itself. */
const quoted = (text: string): string => (/^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

/** As `quoted`; a host and its port, of IPv6 in brackets, which shells take for a pattern. */
const quotedPlace = (address: string): string => (/^[\w.:-]+$/.test(address) ? address : quoted(address))

/** Without characters that mean something to a shell between double quotes. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*~]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

const placeInAddress = ({ host, port, database }: ClientPlace): string => `${host}:${port}/${encoded(database)}`

/** Clusters, whose clients take a file. */
export const isCluster = (type: string): boolean => type === 'k8s'

/** The file's name. */
export const kubeconfigName = (name: string): string => `${fileStem(name)}.kubeconfig`

export const kubectlLine = (name: string): string => `kubectl --kubeconfig ${quoted(kubeconfigName(name))} get pods`

/** What clients of desktops are shown: a machine, or a remote app of one. */
export const DESKTOP = 'desktop'

/** User and target of an RDP file; undefined for any other file. */
export function readRdpFile(text: string): { address: string; username: string; token: string } | undefined {
  const after = (key: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(key))
      ?.slice(key.length)
  const [address, username] = [after('full address:s:'), after('username:s:')]
  return address && username ? { address, username, token: username.slice(username.lastIndexOf('|') + 1) } : undefined
}

/**
 * Lines that open a desktop with a client that is started in a shell. `made` is the file for clients
 * of RDP or, where these are not served, a token.
 */
export function desktopLines(made: string, host: string): ClientLine[] {
  const file = readRdpFile(made)
  const { vnc } = desktopPorts()
  const user = file?.token ?? made
  return [
    ...(file
      ? [
          {
            client: 'FreeRDP',
            line: `xfreerdp /v:${quotedPlace(file.address)} /u:${quoted(file.username)} /p:any /sec:tls`,
          },
        ]
      : []),
    ...(vnc ? [{ client: 'TigerVNC', line: `VNC_USERNAME=${user} VNC_PASSWORD=any vncviewer ${host}::${vnc}` }] : []),
  ]
}

/** The ports for clients of desktops. */
export const desktopPorts = () => session().settings.DESKTOP_PORTS ?? {}

/** Whether any client of desktops is served. */
export const hasDesktopClients = (): boolean => Object.keys(desktopPorts()).length > 0

/** Whether any client is known to connect to applications of this type. */
export const hasClientLines = (type: string): boolean => isCluster(type) || Object.hasOwn(LINES, type)

/** Empty for types that no client can connect to. */
export const clientLines = (type: string, place: ClientPlace): ClientLine[] =>
  LINES[type as ApplicationType]?.(place) ?? []

/** The port for clients of a type; undefined where there is none. */
export const clientPort = (type: string): number | undefined => session().settings.DATABASE_PORTS?.[type]

/** Why nobody can connect to applications of a type now; undefined where they can. */
export function whyNotConnectable(type: string, label: string): string | undefined {
  if (!hasClientLines(type)) return t('Connecting to {{type}} is not possible yet.', { type: label })
  if (!clientPort(type)) return t('The port for {{type}} is not switched on. Ask an administrator.', { type: label })
  return undefined
}
