import { PERMISSION } from '@sallyport/contract/access.ts'
import type { ApplicationCategory } from '@sallyport/contract/resources/applications/application-types.ts'
import { type GrantedApplication, grantedApplication } from '@sallyport/contract/resources/perms/granted-application.ts'
import { MonitorIcon, PlugIcon, TableIcon, TerminalIcon } from 'lucide-react'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages, type ResourcePages } from '../../generic/view/define-pages.ts'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { DATABASE_PROTOCOLS, REMOTE_APP_TYPES, TEXT_PROTOCOLS } from '../../terminal/text-protocols.ts'
import { placeOf } from '../application-place.ts'
import type { PageProps } from '../page-props.ts'
import { connectByClient } from './client/ConnectByClient.tsx'
import { DESKTOP, hasDesktopClients, whyNotConnectable } from './client/client-lines.ts'

export const routes = places(
  {
    name: 'MyRemoteApps',
    menu: 'user-apps',
    order: 10,
    title: msg('Remote apps'),
    path: '/apps/remoteapp',
    bits: PERMISSION.use,
    license: true,
  },
  {
    name: 'MyDatabases',
    menu: 'user-apps',
    order: 20,
    title: msg('Databases'),
    path: '/apps/database',
    bits: PERMISSION.use,
  },
  {
    name: 'MyKubernetes',
    menu: 'user-apps',
    order: 30,
    title: msg('Kubernetes'),
    path: '/apps/kubernetes',
    bits: PERMISSION.use,
  },
)

/** Its prompt and its workbench or resources, each in a window of its own, and a line or file for a client. */
function Ways({ row }: { row: GrantedApplication }) {
  if (REMOTE_APP_TYPES.includes(row.type))
    return (
      <div className="ways">
        <a
          href={`/luna/connect?login_to=${encodeURIComponent(row.id)}&type=remote_app`}
          target="_blank"
          rel="noopener"
          aria-label={t('Open {{name}} in the web terminal', { name: row.name })}
        >
          <MonitorIcon aria-hidden="true" /> {t('Web Terminal')}
        </a>
        {hasDesktopClients() && <ByClient row={row} type={DESKTOP} />}
      </div>
    )
  if (!TEXT_PROTOCOLS.includes(row.type)) return <Connect row={row} />
  return (
    <div className="ways">
      <a
        href={`/luna/connect?login_to=${encodeURIComponent(row.id)}&type=${row.type === 'k8s' ? 'k8s_app' : 'database_app'}`}
        target="_blank"
        rel="noopener"
        aria-label={t('Open {{name}} in the web terminal', { name: row.name })}
      >
        <TerminalIcon aria-hidden="true" /> {t('Web Terminal')}
      </a>
      {DATABASE_PROTOCOLS.includes(row.type) && (
        <a
          href={`/luna/connect?login_to=${encodeURIComponent(row.id)}&type=database_app&view=workbench`}
          target="_blank"
          rel="noopener"
          aria-label={t('Open {{name}} in the workbench', { name: row.name })}
        >
          <TableIcon aria-hidden="true" /> {t('Workbench')}
        </a>
      )}
      {row.type === 'k8s' && (
        <a
          href={`/luna/?login_to=${encodeURIComponent(row.id)}&type=k8s_app&view=workbench`}
          target="_blank"
          rel="noopener"
          aria-label={t('Browse the resources of {{name}}', { name: row.name })}
        >
          <TableIcon aria-hidden="true" /> {t('Resources')}
        </a>
      )}
      {!whyNotConnectable(row.type, row.type) && <Connect row={row} />}
    </div>
  )
}

/** Copies the line, or why there is none: said before a click, not after. */
function Connect({ row }: { row: GrantedApplication }) {
  const why = whyNotConnectable(row.type, row.type_display ?? row.type)
  if (why)
    return (
      <span className="quiet" title={why}>
        {t('Not possible yet')}
      </span>
    )
  return <ByClient row={row} type={row.type} />
}

function ByClient({ row: { id, name, attrs }, type }: { row: GrantedApplication; type: string }) {
  const { database } = attrs as { database?: string | null }
  return (
    <button
      type="button"
      className="link"
      aria-label={t('Connect to {{name}}', { name })}
      onClick={() => connectByClient({ family: 'application', id, name, type, database: database ?? '' })}
    >
      <PlugIcon aria-hidden="true" /> {t('Connect')}
    </button>
  )
}

interface MyCategory {
  category: ApplicationCategory
  /** Whether a click can lead anywhere: of the others the page says so once, above the list. */
  connects: boolean
  /** How the place of an application is called. Marked with `msg`. */
  place: string
}

function pagesOf({ category, connects, place }: MyCategory): ResourcePages {
  return definePages<GrantedApplication>(grantedApplication, {
    list: {
      none: msg('No applications are granted to you yet'),
      whatNext: msg('Ask an administrator for access.'),
      request: { title: msg('Request access'), page: 'RequestApplicationPermTicketCreateUpdate' },
      query: { category },
      hideSearch: ['category', 'id'],
      columns: [
        'name',
        ...(category === 'cloud' ? [] : [{ field: 'type_display', title: msg('Type') }]),
        { field: 'attrs', title: place, sorter: false, cell: ({ row }) => placeOf(row.attrs as never) },
        ...(category === 'db'
          ? [{ field: 'attrs.database', title: msg('Database'), sorter: false, cell: databaseOf }]
          : []),
        {
          field: 'system_users',
          title: msg('System users@@field'),
          lazyNames: (row) => `${grantedApplication.path}${row.id}/system-users/`,
        },
        'comment',
        ...(connects
          ? [
              {
                field: 'connect',
                title: msg('Actions@@column'),
                // All three ways in one row, in English too.
                width: 350,
                cell: ({ row }: { row: GrantedApplication }) => <Ways row={row} />,
              },
            ]
          : []),
      ],
      minColumns: ['name'],
      hasActions: false,
    },
  })
}

const databaseOf = ({ row }: { row: GrantedApplication }) => String((row.attrs as { database?: string }).database ?? '')

const databases = pagesOf({ category: 'db', connects: true, place: msg('Address') })
const remoteApps = pagesOf({ category: 'remote_app', connects: true, place: msg('Asset') })
const clusters = pagesOf({ category: 'cloud', connects: true, place: msg('Cluster') })

/** Databases that the signed-in person was granted (A2.64). */
export function MyDatabases({ title }: PageProps) {
  return (
    <PageFrame
      title={title}
      lead={
        ['mysql', 'postgresql', 'redis'].every((type) => whyNotConnectable(type, type))
          ? t('Open them in the web terminal.')
          : t(
              'Open them in the web terminal, or connect with a client that you have: it takes one line, which works for a few minutes.',
            )
      }
    >
      <ResourceTable pages={databases} base="MyDatabase" inAddress />
    </PageFrame>
  )
}

/** Remote apps, likewise: desktops of one program each. */
export function MyRemoteApps({ title }: PageProps) {
  return (
    <PageFrame title={title} lead={t('Each opens in the web terminal, as a desktop of one program.')}>
      <ResourceTable pages={remoteApps} base="MyRemoteApp" inAddress />
    </PageFrame>
  )
}

/** Clusters, likewise. */
export function MyKubernetes({ title }: PageProps) {
  return (
    <PageFrame
      title={title}
      lead={
        whyNotConnectable('k8s', 'k8s')
          ? t('Open them in the web terminal.')
          : t('Work with the kubectl that you have: it takes one file, which works for a while.')
      }
    >
      <ResourceTable pages={clusters} base="MyCluster" inAddress />
    </PageFrame>
  )
}

export const pages = { MyRemoteApps, MyDatabases, MyKubernetes }
