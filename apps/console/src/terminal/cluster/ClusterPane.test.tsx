import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { GatewayLine } from '../../test/gateway-line.ts'
import { isGreyed, serve } from '../../test/harness.tsx'
import type { TabState } from '../tabs/tabs.ts'
import { ClusterPane } from './ClusterPane.tsx'

const opened = vi.fn()
const pane = (state: TabState, attempt = 0, active = true) => (
  <ClusterPane
    target={{ type: 'k8s', target_id: 'cluster' }}
    namespace="shop"
    watermark={undefined}
    onState={() => {}}
    onReconnect={() => {}}
    onContainer={opened}
    {...{ attempt, state, active }}
  />
)
interface Asked {
  about: string
  [field: string]: unknown
}
/** The page's questions about that, in order, with their numbers. */
const asked = (about: string) =>
  GatewayLine.last.sent.flatMap(({ type, data: { question, ask } }) =>
    type === 'WORKBENCH_ASK' && (ask as Asked).about === about ? [{ question, ask: ask as Asked }] : [],
  )
const reply = (about: string, answer: object) =>
  act(async () => GatewayLine.last.say('WORKBENCH_REPLY', { question: asked(about).at(-1)?.question, ...answer }))
const columns = [
  { name: 'Name', isWide: false },
  { name: 'Status', isWide: false },
  { name: 'Age', isWide: false },
  { name: 'IP', isWide: true },
]
const rowsOf = (...names: string[]) =>
  names.map((name, at) => ({ name, namespace: 'shop', cells: [name, 'Running', `${10 - at}d`, `10.0.0.${at}`] }))

/** Connected, with the first page of pods. */
async function listed(page: object, mayNodes = true) {
  const { rerender } = render(pane('connecting'))
  await act(async () => GatewayLine.last.begin({ dialect: 'kubernetes', mayNodes }))
  rerender(pane('connected'))
  await reply('namespaces', { names: ['shop', 'empty'], isCut: false })
  await reply('list', { columns, ...page })
  return rerender
}
const grid = () => screen.getByRole('grid')
const names = () =>
  within(grid())
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.firstChild?.textContent)

beforeEach(() => {
  opened.mockClear()
  vi.stubGlobal('WebSocket', GatewayLine)
  serve(() => undefined)
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a page of pods is shown, the next when somebody comes near its end, and all are read to look for one', async () => {
  const many = Array.from({ length: 500 }, (_, at) => `web-${at}`)
  await listed({ rows: rowsOf(...many), next: 'p2', remaining: 700 })
  expect(asked('list')[0]?.ask).toMatchObject({ kind: 'pods', namespace: 'shop', next: '' })
  screen.getByText('500 of 1200 objects')
  // Only those of the five hundred in view are drawn.
  expect(names().length).toBeLessThan(60)
  expect(asked('list')).toHaveLength(1)
  fireEvent.scroll(grid(), { target: { scrollTop: 460 * 26 } })
  // A person who clicks, or goes on by the keys, finds the visible part where it is.
  act(() => grid().focus())
  expect(grid().scrollTop).toBe(460 * 26)
  await userEvent.keyboard('{ArrowDown}{Enter}')
  expect(asked('object')[0]?.ask).toMatchObject({ name: 'web-460' })
  await reply('list', { columns, rows: rowsOf('late-1'), next: 'p3', remaining: 699 })
  expect(asked('list').map(({ ask }) => ask.next)).toEqual(['', 'p2', 'p3'])
  await reply('list', { columns, rows: rowsOf(...many.map((name) => `b-${name}`)), next: 'p4', remaining: 199 })
  fireEvent.scroll(grid(), { target: { scrollTop: 0 } })
  await userEvent.type(screen.getByRole('searchbox', { name: 'Filter the list' }), 'late')
  expect(names()).toEqual(['late-1'])
  screen.getByText('1 of 1001, looking on')
  await reply('list', { columns, rows: rowsOf('late-2'), next: '', remaining: undefined })
  expect(asked('list').map(({ ask }) => ask.next)).toEqual(['', 'p2', 'p3', 'p4'])
  expect(names()).toEqual(['late-1', 'late-2'])
  screen.getByText('2 of 1002')
})

/** The lists that the page follows, in its order; undefined for none. */
const followed = () =>
  GatewayLine.last.sent.flatMap(({ type, data }) =>
    type === 'WORKBENCH_FOLLOW' ? [data.list as object | undefined] : [],
  )
/** Says so of the last one that was followed. */
const tell = (messages: object, of = 0) =>
  act(async () => {
    const { number } = GatewayLine.last.sent.findLast(({ type }) => type === 'WORKBENCH_FOLLOW')?.data ?? {}
    GatewayLine.last.say('WORKBENCH_CHANGES', { number: Number(number) + of, ...messages })
  })

test('a list stays as the cluster has it while somebody looks at it, and is read again where nobody can tell how it changed', async () => {
  const rerender = await listed({ rows: rowsOf('web-1', 'web-2'), next: '', since: '70' })
  const pods = { kind: 'pods', namespace: 'shop', selector: '' }
  expect(followed()).toEqual([{ ...pods, since: '70' }])
  const [changed] = rowsOf('web-2')
  const changes = [{ name: 'web-1', namespace: 'shop' }, { ...changed, cells: ['web-2', 'Failed'] }, ...rowsOf('new')]
  await tell({ changes }, -1)
  expect(names()).toEqual(['web-1', 'web-2'])
  await tell({ changes })
  expect(names()).toEqual(['web-2', 'new'])
  screen.getByText('Failed')
  screen.getByText('2 objects')
  await tell({ ended: 'over', since: '90' })
  expect(followed().at(-1)).toEqual({ ...pods, since: '90' })
  // A cluster that ends it over and over is not asked for ever.
  await tell({ ended: 'over', since: '91' })
  expect(followed()).toHaveLength(2)

  rerender(pane('connected', 0, false))
  expect(followed().at(-1)).toBeUndefined()
  rerender(pane('connected'))
  expect(followed().at(-1)).toEqual({ ...pods, since: '70' })
  await userEvent.click(screen.getByRole('button', { name: 'Reload the list' }))
  await reply('list', { columns, rows: rowsOf('web-1'), next: 'p2', since: '95' })
  expect(followed().at(-1)).toEqual({ ...pods, since: '95' })
  // It may come with the next page.
  await tell({ changes: rowsOf('web-7') })
  expect(names()).toEqual(['web-1'])
})

test('keys stay with their object while others come and go above it, and so does what is in view', async () => {
  await listed({ rows: rowsOf('web-1', 'web-2', 'web-3'), next: '', since: '70' })
  act(() => grid().focus())
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  grid().scrollTop = 40
  await tell({ changes: [{ name: 'web-1', namespace: 'shop' }] })
  expect(names()).toEqual(['web-2', 'web-3'])
  expect(grid().scrollTop).toBe(40)
  await userEvent.keyboard('{Enter}')
  expect(asked('object').at(-1)?.ask).toMatchObject({ name: 'web-2' })
  // In the place of one that has gone stands the next.
  await tell({ changes: [{ name: 'web-2', namespace: 'shop' }] })
  await userEvent.keyboard('{Enter}')
  expect(asked('object').at(-1)?.ask).toMatchObject({ name: 'web-3' })
})

test('the bar has the same buttons whether something is asked or not, and an object that hides the list has the keys', async () => {
  const stop = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Stop' })
  render(pane('connecting'))
  expect(isGreyed(stop())).toBe(true)
  cleanup()
  await listed({ rows: rowsOf('web-1'), next: '' })
  expect(isGreyed(stop())).toBe(true)
  act(() => grid().focus())
  // As on a phone, where one covers the other.
  grid().checkVisibility = () => false
  await userEvent.keyboard('{ArrowDown}{Enter}')
  expect(isGreyed(stop())).toBe(false)
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'web-1' }))
  await reply('object', { object: {}, yaml: '' })
  expect(isGreyed(stop())).toBe(true)
})

test('a person who asks for all namespaces goes on in their list', async () => {
  await listed({ rows: [], next: '' })
  await userEvent.click(screen.getByRole('button', { name: 'Show all namespaces' }))
  expect(asked('list').at(-1)?.ask).toMatchObject({ namespace: '' })
  await reply('list', { columns, rows: rowsOf('web-1'), next: '' })
  expect(document.activeElement).toBe(grid())
})

test('Escape leads from an object back to the list, and so does its button: the keys are where they were', async () => {
  await listed({ rows: rowsOf('web-1'), next: '' })
  for (const leave of ['{Escape}', '{Enter}']) {
    act(() => grid().focus())
    await userEvent.keyboard('{ArrowDown}{Enter}')
    await reply('object', { object: {}, yaml: '' })
    const detail = within(screen.getByRole('region', { name: 'web-1' }))
    act(() => detail.getByRole('button', { name: 'Close' }).focus())
    await userEvent.keyboard(leave)
    expect(screen.queryByRole('region', { name: 'web-1' })).toBeNull()
    expect(document.activeElement).toBe(grid())
  }
})

test('a list whose changes are too long ago is read again', async () => {
  await listed({ rows: rowsOf('web-1'), next: '', since: '70' })
  await tell({ ended: 'expired' })
  expect(asked('list')).toHaveLength(2)
  await reply('list', { columns, rows: rowsOf('web-1', 'web-9'), next: '', since: '99' })
  expect(followed().at(-1)).toMatchObject({ since: '99' })
  await tell({ ended: 'refused' })
  expect([names(), followed()]).toMatchObject([['web-1', 'web-9'], { length: 3 }])
})

test('keys move and open; an object is shown with its containers, events and YAML, and ways lead on from it', async () => {
  await listed({ rows: rowsOf('web-1', 'web-2', 'web-3'), next: '' })
  expect(screen.queryByRole('columnheader', { name: 'IP' })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'All columns' }))
  screen.getByRole('columnheader', { name: 'IP' })
  await userEvent.click(within(grid()).getByRole('button', { name: 'Age' }))
  expect(names()).toEqual(['web-3', 'web-2', 'web-1'])
  act(() => grid().focus())
  await userEvent.keyboard('{End}{ArrowUp}{Enter}')
  expect(asked('object')[0]?.ask).toEqual({ about: 'object', kind: 'pods', namespace: 'shop', name: 'web-2' })
  const object = {
    metadata: {
      name: 'web-2',
      ownerReferences: [{ kind: 'ReplicaSet', name: 'web', uid: '1' }],
      labels: { app: 'web' },
    },
    spec: { nodeName: 'node-7', containers: [{ name: 'app', image: 'nginx' }], initContainers: [{ name: 'first' }] },
    status: {
      containerStatuses: [
        { name: 'app', ready: false, restartCount: 2, state: { waiting: { reason: 'CrashLoopBackOff' } } },
      ],
    },
  }
  await reply('object', { object, yaml: 'kind: Pod\nspec: {}' })
  const detail = within(screen.getByRole('region', { name: 'web-2' }))
  detail.getByText('Pod · shop')
  detail.getByText('node-7')
  detail.getByText('app=web')
  detail.getByText('CrashLoopBackOff')
  expect(detail.queryByRole('button', { name: 'Shell in first' })).toBeNull()
  const place = { namespace: 'shop', pod: 'web-2', container: 'app' }
  await userEvent.click(detail.getByRole('button', { name: 'Shell in app' }))
  await userEvent.click(detail.getByRole('button', { name: 'Log of app' }))
  expect(opened.mock.calls).toEqual([
    [place, 'shell'],
    [place, 'log'],
  ])
  expect(asked('events')).toHaveLength(0)
  await userEvent.click(detail.getByRole('tab', { name: 'Events' }))
  await reply('events', {
    events: [{ type: 'Warning', reason: 'BackOff', message: 'again', count: 4, at: '', from: '' }],
    isCut: false,
  })
  detail.getByText('BackOff')
  detail.getByText('4 times')
  await userEvent.click(detail.getByRole('tab', { name: 'YAML' }))
  detail.getByText('kind: Pod', { exact: false })
  await userEvent.click(detail.getByRole('tab', { name: 'Details' }))
  await userEvent.click(detail.getByRole('button', { name: 'ReplicaSet/web' }))
  expect(asked('object').at(-1)?.ask).toMatchObject({ kind: 'replicasets', name: 'web' })
  await reply('object', { object: { spec: { selector: { matchLabels: { app: 'web', tier: 'a' } } } }, yaml: '' })
  await userEvent.click(screen.getByRole('button', { name: 'Show its pods' }))
  expect(asked('list').at(-1)?.ask).toMatchObject({ kind: 'pods', namespace: 'shop', selector: 'app=web,tier=a' })
})

test('a cluster that cannot be reached says why in the middle of its pane, and leads back', async () => {
  const { rerender } = render(pane('connecting'))
  await act(async () =>
    GatewayLine.last.say('WORKBENCH_NOTICE', { text: 'There is no route (10.0.0.5:6443)', urgency: 'last' }),
  )
  rerender(pane('disconnected'))
  const failure = screen.getByRole('alert')
  expect(failure.textContent).toContain('There is no route (10.0.0.5:6443)')
  within(failure).getByRole('button', { name: 'Reconnect' })
})

test('nothing, what is refused, and a list that is not waited for any more are told apart', async () => {
  await listed({ rows: [], next: '' }, false)
  screen.getByText('There are none in this namespace')
  const kinds = within(screen.getByRole('navigation', { name: 'Kinds of objects' }))
  expect(kinds.queryByRole('button', { name: 'Nodes' })).toBeNull()
  await userEvent.click(kinds.getByRole('button', { name: 'Secrets' }))
  await reply('list', { error: 'The cluster answered 403: secrets is forbidden' })
  screen.getByText('The cluster answered 403: secrets is forbidden')
  expect(screen.queryByText('There are none in this namespace')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  const [late] = asked('list').slice(-1)
  await userEvent.click(kinds.getByRole('button', { name: 'Deployments' }))
  await reply('list', { columns, rows: rowsOf('front'), next: '' })
  await act(async () =>
    GatewayLine.last.say('WORKBENCH_REPLY', { question: late?.question, columns, rows: rowsOf('key'), next: '' }),
  )
  expect(names()).toEqual(['front'])
  // Stopped before there was anything to show.
  await userEvent.click(kinds.getByRole('button', { name: 'Services' }))
  await userEvent.click(screen.getByRole('button', { name: 'Stop' }))
  expect(screen.getByRole('alert').textContent).toContain('Stopped')
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await reply('list', { columns, rows: rowsOf('api'), next: '' })
  expect(names()).toEqual(['api'])
})
