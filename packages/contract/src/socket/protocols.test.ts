import { expect, test, vi } from 'vitest'
import { CLUSTER_ANSWERS } from './cluster.ts'
import { KEY_ANSWERS } from './keys.ts'
import { type Kinds, type Refusal, type SentMessageOf, take, written } from './message.ts'
import { NONSENSE } from './nonsense-fixture.ts'
import { PROTOCOLS, type ProtocolName } from './protocols.ts'

/** One message of each kind: a kind without one does not compile. */
type Samples<K extends Kinds> = { [Type in keyof K & string]: Extract<SentMessageOf<K>, { type: Type }>['data'] }
type AllSamples = {
  [Name in ProtocolName]: {
    [Way in 'fromClient' | 'fromGateway']: Samples<(typeof PROTOCOLS)[Name][Way]>
  }
}

const id = '0190a3f4-7d5e-7000-8000-000000000001'
const guest = { id, user: 'Ada(ada)', remote_addr: '127.0.0.1', created: '2026-11-28T17:00:00.000Z' }
const sharing = {
  TERMINAL_SHARE: { session_id: id, expired: 10 },
  TERMINAL_SHARE_USER_REMOVE: { id },
}
const room = {
  TERMINAL_SHARE: { share_id: '', code: '' },
  TERMINAL_SHARE_JOIN: guest,
  TERMINAL_SHARE_LEAVE: guest,
  TERMINAL_SHARE_USERS: { [id]: guest },
  TERMINAL_WATCHERS: { users: ['Ada(ada)'] },
  TERMINAL_LOCK: { locked: true },
}
const shown = { DESKTOP_START: {}, DESKTOP_NOTICE: { code: 'held', text: 'Wait', urgency: 'calm' as const } }
const browsing = {
  fromClient: { WORKBENCH_ANSWER: {}, WORKBENCH_CANCEL: undefined },
  fromGateway: {
    ...room,
    WORKBENCH_NOTICE: { text: 'Wait' },
    WORKBENCH_ASK: { text: 'Password', echo: false },
    WORKBENCH_WAIT: { text: '' },
    WORKBENCH_PROGRESS: 'Connecting',
  },
}
const SAMPLES: AllSamples = {
  line: {
    fromClient: {
      PING: undefined,
      PONG: undefined,
      CLOSE: undefined,
      TERMINAL_INIT: { cols: 80, rows: 24, code: 'abcd' },
      TERMINAL_DATA: 'ls\r',
      TERMINAL_RESIZE: { cols: 80, rows: 24 },
      TERMINAL_TAKEN: { bytes: 1 },
    },
    fromGateway: {
      PING: undefined,
      PONG: undefined,
      CONNECT: { user: { id, name: 'Ada', username: 'ada' }, setting: {} },
      CLOSE: undefined,
      TERMINAL_DATA: 'ready$ ',
      TERMINAL_SESSION: { session: { id }, writable: true, participant: id },
      TERMINAL_RESIZE: { Width: 80, Height: 24 },
      TERMINAL_ERROR: 'Refused',
      TERMINAL_MOVED: 'Elsewhere',
    },
  },
  terminal: {
    fromClient: sharing,
    fromGateway: { ...room, TERMINAL_ACTION: 'ZMODEM_START', TERMINAL_READY: undefined, DESKTOP_VIEW: undefined },
  },
  desktop: {
    fromClient: {
      ...sharing,
      DESKTOP_CLIPBOARD: { files: [1] },
      DESKTOP_PASTE_KEYS: { keys: 'shift_insert' },
      DESKTOP_SIZE: { width: 800, height: 600 },
      DESKTOP_CONTROL: { id: '' },
      DESKTOP_ANSWER: { text: 'word' },
    },
    fromGateway: {
      ...room,
      ...shown,
      DESKTOP_CLIPBOARD: { text: '' },
      DESKTOP_FILES: undefined,
      DESKTOP_BELL: undefined,
      DESKTOP_CONTROL: { id },
      DESKTOP_ASK: { text: 'Password' },
      DESKTOP_WAIT: { text: 'Wait' },
      DESKTOP_PROGRESS: '',
    },
  },
  joined: { fromClient: {}, fromGateway: { ...room, ...shown, DESKTOP_CONTROL: { id } } },
  watched: { fromClient: {}, fromGateway: shown },
  workbench: {
    fromClient: {
      ...browsing.fromClient,
      WORKBENCH_RUN: { run: 1, text: 'select 1' },
      WORKBENCH_MORE: undefined,
      WORKBENCH_ROWS: { run: 1, statement: 0, result: 1, to: 500 },
      WORKBENCH_EXPORT: { run: 1, text: 'select 1', format: 'csv' },
      WORKBENCH_EDIT: { run: 1, question: 1 },
      WORKBENCH_ASK: { question: 1, ask: { about: 'schemas' } },
    },
    fromGateway: {
      ...browsing.fromGateway,
      WORKBENCH_START: {
        ...{ dialect: 'mysql', version: '11', database: 'shop', transaction: 'none' },
        ...{ mayEdit: true, mayExport: true },
      },
      WORKBENCH: { run: 1, event: 'idle', database: 'shop', transaction: 'open' },
      WORKBENCH_REPLY: { question: 1, rows: [['a']], isCut: false },
      WORKBENCH_DECIDED: undefined,
    },
  },
  keys: {
    fromClient: {
      ...browsing.fromClient,
      WORKBENCH_ASK: { question: 1, ask: { about: 'keys', cursor: '0', pattern: '*', type: '' } },
    },
    fromGateway: {
      ...browsing.fromGateway,
      WORKBENCH_START: { dialect: 'redis', database: '0' },
      WORKBENCH_REPLY: { question: 1, keys: ['a'], next: '0' },
    },
  },
  cluster: {
    fromClient: {
      ...browsing.fromClient,
      WORKBENCH_ASK: { question: 1, ask: { about: 'object', kind: 'pods', namespace: 'shop', name: 'web-1' } },
      WORKBENCH_FOLLOW: { number: 1, list: { kind: 'pods', namespace: '', selector: '', since: '12' } },
    },
    fromGateway: {
      ...browsing.fromGateway,
      WORKBENCH_START: { dialect: 'kubernetes', mayNodes: false },
      WORKBENCH_REPLY: { question: 1, error: 'Refused' },
      WORKBENCH_CHANGES: { number: 1, changes: [{ name: 'web-1', namespace: 'shop' }] },
    },
  },
}

interface Reported {
  protocol: string
  way: string
  kinds: Kinds
  type: string
  sample: unknown
}
const ALL = Object.entries(PROTOCOLS).flatMap(([protocol, ways]) =>
  Object.entries<Kinds>(ways).flatMap(([way, kinds]) =>
    Object.keys(kinds).map((type): Reported => {
      const samples: Record<string, Record<string, unknown>> = SAMPLES[protocol as ProtocolName]
      return { protocol, way, kinds, type, sample: samples[way]?.[type] }
    }),
  ),
)

/** What became of a message, and what was handed on. */
function taken({ kinds }: Reported, type: string, data: string): { refusal: Refusal | undefined; handed: unknown[][] } {
  const hand = vi.fn()
  const refusal = take(kinds, Object.fromEntries(Object.keys(kinds).map((one) => [one, hand])), { type, data })
  return { refusal, handed: hand.mock.calls }
}

test.each(ALL)('$protocol $way: $type is accepted as it is', (reported) => {
  const { refusal, handed } = taken(reported, reported.type, written(reported.sample))
  expect(refusal).toBeUndefined()
  expect(handed).toHaveLength(1)
  if (typeof reported.sample === 'object') expect(handed[0]?.[0]).toMatchObject(reported.sample ?? {})
  else expect(handed[0]?.[0]).toBe(reported.sample)
})

test.each(ALL.filter(({ kinds, type }) => kinds[type]?.form === 'json'))(
  '$protocol $way: $type is refused whatever nonsense it carries, and nothing learns of it',
  (reported) => {
    for (const body of NONSENSE)
      expect([body, taken(reported, reported.type, body)]).toEqual([body, { refusal: 'malformed', handed: [] }])
  },
)

test('a kind that there is not is refused, names that every object has among them', () => {
  for (const reported of ALL)
    for (const type of ['', 'terminal_init', 'WORKBENCH_', 'constructor', '__proto__', 'toString', 'hasOwnProperty'])
      expect(taken(reported, type, '{}')).toEqual({ refusal: 'unknown', handed: [] })
})

test.each([
  [PROTOCOLS.line.fromClient.TERMINAL_RESIZE, { cols: 0, rows: 24 }],
  [PROTOCOLS.line.fromClient.TERMINAL_RESIZE, { cols: 80, rows: 1001 }],
  [PROTOCOLS.line.fromClient.TERMINAL_TAKEN, { bytes: -1 }],
  [PROTOCOLS.desktop.fromClient.DESKTOP_CLIPBOARD, { files: [] }],
  [PROTOCOLS.desktop.fromClient.DESKTOP_SIZE, { width: 199, height: 600 }],
  [PROTOCOLS.desktop.fromClient.DESKTOP_ANSWER, { text: 'x'.repeat(4097) }],
  [PROTOCOLS.workbench.fromClient.WORKBENCH_RUN, { run: 1, text: 'x'.repeat(512 * 1024 + 1) }],
  [PROTOCOLS.workbench.fromClient.WORKBENCH_ROWS, { run: 1, statement: 0, result: 1, from: 1, to: 2 }],
  [PROTOCOLS.keys.fromClient.WORKBENCH_ASK, { question: 1, ask: { about: 'key', key: ['xy'] } }],
  [PROTOCOLS.cluster.fromClient.WORKBENCH_FOLLOW, { number: 1, list: { kind: 'pods', namespace: '../x' } }],
])('what is out of bounds is refused', (kind, body) => {
  expect(kind.schema.safeParse(body).success).toBe(false)
})

test('a client that leaves out what a link may be used for gets one to look on', () => {
  const share = vi.fn()
  take(
    PROTOCOLS.terminal.fromClient,
    { TERMINAL_SHARE: share, TERMINAL_SHARE_USER_REMOVE() {} },
    { type: 'TERMINAL_SHARE', data: JSON.stringify({ session_id: id, expired: '10' }) },
  )
  expect(share).toHaveBeenCalledWith({ session_id: id, expired: 10, action_permission: 'readonly' })
})

test('every question of a page has an answer, and no kind can be left without what takes it', () => {
  expect(Object.keys(KEY_ANSWERS)).toEqual(['keys', 'key', 'elements'])
  expect(Object.keys(CLUSTER_ANSWERS)).toEqual(['namespaces', 'list', 'object', 'events'])
  // @ts-expect-error TERMINAL_SHARE_USER_REMOVE is left out
  const left = () => take(PROTOCOLS.terminal.fromClient, { TERMINAL_SHARE() {} }, { type: '' })
  expect(left()).toBe('unknown')
})
