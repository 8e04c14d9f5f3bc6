import { type Session, session } from '@sallyport/contract/resources/terminal/session.ts'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { Named } from '../../design/Named.tsx'
import { Status } from '../../design/Status.tsx'
import { countLink } from '../../generic/cells/count-link.tsx'
import { Elapsed } from '../../generic/cells/Elapsed.tsx'
import type { ActionContext, RowAction } from '../../generic/view/actions.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { ColumnView, ListView } from '../../generic/view/list-view.ts'
import { api } from '../../lib/api.ts'
import { formatRelative } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import { protocolName } from '../../lib/protocol-name.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { mayAccess } from '../../session/session.ts'
import { SignInOf } from '../audits/SignInOf.tsx'
import { openMonitor, openReplay } from '../windows.ts'
import { durationOf } from './duration.ts'
import { SessionCommands } from './SessionCommands.tsx'
import { SessionForwarded } from './SessionForwarded.tsx'
import { SessionActivity, SessionHistory } from './SessionHistory.tsx'
import { SessionReplay } from './SessionReplay.tsx'
import { isOfStatements, timeLineOf } from './statement-session.ts'
import { askToTerminate } from './terminate.ts'

export const routes = resourcePlaces('Session', {
  menu: 'terminal',
  order: 20,
  path: '/terminal/sessions',
  titles: { Detail: msg('Session detail') },
})

/** How soon a finished session shows up as such after the order to end it. */
const KILL_SHOWS_MS = 2000
const ONLINE_POLL_MS = 10_000

/** The list is read again when the gateway has had time to obey. */
const terminate = (row: Session, refresh: () => Promise<void>) =>
  askToTerminate(row, 'kill-session', () => setTimeout(() => void refresh(), KILL_SHOWS_MS))

/** Nobody types in the session any more, or again. */
async function setLocked(row: Session, locked: boolean, refresh: () => Promise<void>): Promise<void> {
  await api.post(`${session.path}${row.id}/${locked ? 'lock' : 'unlock'}/`, {})
  showSuccess(locked ? t('The input of the session is locked') : t('The input of the session is unlocked'))
  await refresh()
}

const mayTerminate = (row: Session) =>
  !mayAccess(['org_admin'])
    ? t('Only administrators end sessions')
    : row.can_terminate === true || t('This session cannot be ended from here')
const mayLock = () => mayAccess(['org_auditor']) || t('Only auditors and administrators lock sessions')
const whyNotWatched = (row: Session) =>
  row.can_join || isOfStatements(row)
    ? true
    : row.login_from === 'RT'
      ? t('Sessions of RDP clients cannot be watched yet')
      : t('This session cannot be monitored')

function download(row: Session): void {
  const link = document.createElement('a')
  link.href = `${session.path}${row.id}/replay/download/`
  link.download = ''
  link.click()
}

type Look = (row: Session, context: Pick<ActionContext, 'go'>) => void
/** Statements are looked at on the session's own page, while they run and afterwards. */
const inTimeLine =
  (other: (id: string) => unknown): Look =>
  (row, { go }) => {
    if (isOfStatements(row)) go(timeLineOf(row) ?? '')
    else other(row.id)
  }
const monitor = inTimeLine(openMonitor)
const replay = inTimeLine(openReplay)

const running = (row: Session) => !row.is_finished

const online: readonly RowAction<Session>[] = [
  { name: 'join', title: msg('Monitor'), can: whyNotWatched, run: monitor },
  {
    name: 'terminate',
    title: msg('Terminate'),
    danger: true,
    can: mayTerminate,
    run: (row, { refresh }) => terminate(row, refresh),
  },
]

const whyNoDownload = (row: Session) => row.has_replay || t('No recording')
const whyNoReplay = (row: Session) =>
  isOfStatements(row)
    ? true
    : row.has_replay && !row.can_replay
      ? t('This kind of recording can only be downloaded.')
      : whyNoDownload(row)

const offline: readonly RowAction<Session>[] = [
  { name: 'replay', title: msg('Replay@@action'), can: whyNoReplay, run: replay },
  { name: 'download', title: msg('Download'), can: whyNoDownload, run: download },
]

const columns: readonly (string | ColumnView<Session>)[] = [
  'user',
  { field: 'asset', title: msg('Target') },
  'system_user',
  'remote_addr',
  { field: 'protocol', cell: ({ row }) => protocolName(row.protocol) },
  'login_from',
  {
    field: 'command_amount',
    title: msg('Commands@@amount'),
    cell: countLink(timeLineOf),
  },
  {
    field: 'risk_level',
    sorter: false,
    cell: ({ row }) => (row.risk_level ? <Status tone="danger">{row.risk_level_display}</Status> : null),
  },
  'date_start',
  'date_end',
  {
    field: 'duration',
    title: msg('Duration'),
    cell: ({ row }) => (running(row) ? <Elapsed since={row.date_start} /> : durationOf(row)),
  },
  'org_name',
  'arrived_from',
]

const list: ListView<Session> = {
  columns,
  defaultColumns: [
    'user',
    'asset',
    'system_user',
    'protocol',
    'command_amount',
    'risk_level',
    'date_start',
    'duration',
  ],
  minColumns: ['user'],
  linkColumn: 'user',
  detailRoute: 'SessionDetail',
  foldFirst: ['org_name', 'protocol', 'command_amount'],
  hideSearch: ['is_finished', 'terminal'],
  canDelete: false,
  canBulkDelete: false,
}

export const onlinePages = definePages<Session>(session, {
  list: {
    ...list,
    query: { is_finished: 0 },
    // How long they have lasted says when they began.
    foldFirst: ['org_name', 'protocol', 'date_start'],
    rowActions: online,
    refetchInterval: ONLINE_POLL_MS,
  },
})

export const offlinePages = definePages<Session>(session, {
  list: { ...list, query: { is_finished: 1 }, rowActions: offline },
})

/** Each row can what it can in its own list. */
export const allPages = definePages<Session>(session, {
  list: {
    ...list,
    defaultColumns: [...(list.defaultColumns ?? []), 'date_end'],
    foldFirst: ['org_name', 'protocol', 'date_end', 'command_amount'],
    rowActions: [
      ...online.map((action) => ({ ...action, has: running })),
      ...offline.map((action) => ({ ...action, has: (row: Session) => !running(row) })),
    ],
  },
})

/** Where something is shown that a session names, when it has an id. */
const place = (page: string, id: string | undefined) => (id ? addressOf(`${page}Detail`, { id }) : undefined)
export const sessionPages = definePages<Session>(session, {
  detail: {
    title: (row) => `${nameOf(row.user)} → ${nameOf(row.asset)}`,
    states: (row) => [
      running(row) ? { tone: 'good', words: t('Live@@session') } : { tone: 'quiet', words: t('Past@@session') },
      row.is_locked ? { tone: 'warning', words: t('Input locked') } : undefined,
      row.risk_level ? { tone: 'danger', words: t('Dangerous commands') } : undefined,
      row.arrived_from
        ? { tone: 'quiet', words: t('Imported from {{product}}', { product: row.arrived_from }) }
        : undefined,
    ],
    lead: (row) => [
      t('as {{account}}', { account: nameOf(row.system_user) }),
      protocolName(row.protocol),
      row.remote_addr && t('from {{address}}', { address: row.remote_addr }),
      formatRelative(row.date_start),
      durationOf(row),
    ],
    primary: {
      name: 'look',
      title: msg('Monitor'),
      has: running,
      can: whyNotWatched,
      run: monitor,
    },
    top: SessionReplay,
    fields: [
      { field: 'user', render: (row) => <Named text={row.user} />, address: (row) => place('User', row.user_id) },
      {
        field: 'asset',
        title: msg('Target'),
        render: (row) => <Named text={row.asset} />,
        address: (row) => place('Asset', row.asset_id),
      },
      {
        field: 'system_user',
        render: (row) => <Named text={row.system_user} />,
        address: (row) => place('SystemUser', row.system_user_id),
      },
      { field: 'protocol', render: (row) => protocolName(row.protocol) },
      'login_from',
      { field: 'remote_addr', copy: true },
      'on_behalf_of',
      'arrived_from',
      { field: 'date_start', title: msg('Started') },
      { field: 'date_end', title: msg('Ended@@session') },
      { field: 'duration', title: msg('Duration'), render: durationOf },
      {
        field: 'sign_in_id',
        title: msg('Signed in'),
        render: (row) => row.sign_in_id && <SignInOf id={row.sign_in_id} />,
      },
    ],
    quickActions: [
      {
        name: 'terminate',
        title: msg('Terminate the session'),
        button: msg('Terminate'),
        has: running,
        can: mayTerminate,
        run: (row, { refresh }) => terminate(row, refresh),
      },
      {
        name: 'monitor',
        title: msg('Watch the session'),
        button: msg('Monitor'),
        has: running,
        can: whyNotWatched,
        run: monitor,
      },
      {
        name: 'lock',
        title: msg('Lock the input'),
        button: msg('Lock'),
        has: (row) => running(row) && !row.is_locked,
        can: mayLock,
        run: (row, { refresh }) => setLocked(row, true, refresh),
      },
      {
        name: 'unlock',
        title: msg('Unlock the input'),
        button: msg('Unlock'),
        has: (row) => running(row) && row.is_locked === true,
        can: mayLock,
        run: (row, { refresh }) => setLocked(row, false, refresh),
      },
      {
        name: 'replay',
        title: msg('Replay the session'),
        button: msg('Replay@@action'),
        has: (row) => row.is_finished === true,
        can: whyNoReplay,
        run: replay,
      },
      {
        name: 'download',
        title: msg('Download the recording'),
        button: msg('Download'),
        has: (row) => row.is_finished === true,
        can: whyNoDownload,
        run: download,
      },
    ],
    tabs: [
      { name: 'Command', title: msg('Commands@@amount'), component: SessionCommands },
      {
        name: 'Forwarded',
        title: msg('Forwarded connections'),
        component: SessionForwarded,
        has: (row) => row.protocol === 'ssh' && row.login_from === 'ST',
      },
      { name: 'History', title: msg('History'), component: SessionHistory },
      { name: 'Activity', title: msg('Activity'), component: SessionActivity },
    ],
    canUpdate: false,
    canDelete: false,
  },
})

export const pages = { Session: sessionPages }
