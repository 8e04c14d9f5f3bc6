import { siteMessage } from '@sallyport/contract/resources/notifications/site-message.ts'
import { cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MessageBell } from '../../app/top-bar/MessageBell.tsx'
import { showError } from '../../design/dialogs/feedback.tsx'
import { onApi } from '../../lib/api.ts'
import { type Call, isGreyed, questionTitled, serve, show, signIn } from '../../test/harness.tsx'
import { plainText, SafeHtml, safeAddress } from './SafeHtml.tsx'
import { SubscriptionCard } from './SubscriptionCard.tsx'
import { SystemSubscriptions } from './SystemSubscriptions.tsx'
import { setUnread } from './unread.ts'

const message = (id: string, subject: string) => ({
  id,
  subject,
  message: `<p>First line of ${subject}</p><script>alert(1)</script>`,
  has_read: false,
  read_at: null,
  date_created: '2026/11/20 10:00:00 +0000',
  date_updated: '2026/11/20 10:00:00 +0000',
  sender: '',
})
const bodies = (calls: readonly Call[], method: string) =>
  calls.filter((call) => call.method === method).map(({ body }) => body)

beforeEach(() => {
  localStorage.clear()
  signIn()
  setUnread(0)
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[A2.73 B7.22 B9.09] the bell shows how many messages wait, none at 0 and 99+ beyond 99', async () => {
  render(<MessageBell />)
  expect(screen.getByRole('button').textContent).toBe('')
  setUnread(99)
  expect((await screen.findByRole('button', { name: 'Site messages, 99 unread' })).textContent).toBe('99')
  setUnread(100)
  expect((await screen.findByRole('button', { name: 'Site messages, 100 unread' })).textContent).toBe('99+')
})

test('[A4.05 B7.22 B7.23 B9.09] the drawer lists unread messages; one is opened and marked, or all that are shown at once', async () => {
  let unread = [message('m1', 'Disk'), message('m2', 'Ticket')]
  const calls = serve(({ method, path, body }) => {
    if (method === 'PATCH') {
      unread = unread.filter(({ id }) => !(body as { ids: string[] }).ids.includes(id))
      return { body: { detail: 'ok' } }
    }
    return path === siteMessage.path
      ? { body: { count: unread.length, next: null, previous: null, results: unread } }
      : undefined
  })
  show(<MessageBell />, '/', '/')
  await userEvent.click(screen.getByRole('button', { name: 'Site messages' }))
  await screen.findByText('First line of Disk')
  expect(Object.fromEntries(calls[0]?.query ?? [])).toEqual({ offset: '0', limit: '15', has_read: 'false' })
  await userEvent.click(screen.getByRole('button', { name: /Disk/ }))
  const dialog = (await screen.findByText('First line of Disk', { selector: 'p' })).closest(
    '[role="dialog"]',
  ) as HTMLElement
  expect(bodies(calls, 'PATCH')).toEqual([])
  await userEvent.click(within(dialog).getByRole('button', { name: 'Mark as read' }))
  await waitFor(() => expect(bodies(calls, 'PATCH')).toEqual([{ ids: ['m1'] }]))
  await waitFor(() => expect(document.querySelectorAll('[role=dialog] li')).toHaveLength(1))

  await userEvent.click(await screen.findByRole('button', { name: 'Mark all as read' }))
  const question = await questionTitled(/Mark 1 message as read\?/)
  await userEvent.click(question.getByRole('button', { name: 'Mark as read' }))
  await waitFor(() => expect(bodies(calls, 'PATCH')[1]).toEqual({ ids: ['m2'] }))
  await screen.findByText('No unread messages')
})

test('[B8.14 B4.11] a message that could not be marked as read stays unread, and the detail says why; Escape leads back to the bell', async () => {
  onApi({ showError })
  let refuses = true
  serve(({ method }) => {
    if (method === 'PATCH' && refuses) return { status: 400, body: { detail: 'The disk is full', code: 'refused' } }
    const left = method === 'PATCH' || !refuses ? [] : [message('m1', 'Disk')]
    return { body: { count: left.length, next: null, previous: null, results: left } }
  })
  show(<MessageBell />, '/', '/')
  await userEvent.click(screen.getByRole('button', { name: 'Site messages' }))
  const mark = await screen.findByRole('button', { name: 'Mark as read' })
  await userEvent.click(mark)
  await screen.findByText('The disk is full')
  screen.getByText('First line of Disk')
  // Behind the drawer, which hides it from screen readers.
  const bell = document.querySelector('button[aria-label^="Site messages"]')
  expect(bell?.getAttribute('aria-label')).toBe('Site messages, 1 unread')
  refuses = false
  await userEvent.click(mark)
  await screen.findByText('No unread messages')
  await userEvent.keyboard('{Escape}')
  expect(document.activeElement).toBe(bell)
})

test('a message of others can bring no script, style, frame, handler or foreign address into the page', () => {
  const html = `<p onclick="x()">Text <b style="color:red">bold</b></p><img src=x onerror=alert(1)><script>alert(2)</script><iframe src="/"></iframe>
    <svg><a href="javascript:alert(3)">svg</a></svg><a href="javascript:alert(4)">bad</a><a href="/ui/orders">good</a><a href="https://example.com/x">far</a><custom>kept</custom>`
  const { container } = render(<SafeHtml html={html} />)
  expect(container.querySelectorAll('script, img, iframe, svg, style, custom, [onclick], [style]')).toHaveLength(0)
  expect(
    [...container.querySelectorAll('a')].map((one) => [one.getAttribute('href'), one.getAttribute('rel')]),
  ).toEqual([
    ['/ui/orders', null],
    ['https://example.com/x', 'noreferrer'],
  ])
  expect(container.textContent).toContain('bad')
  expect(container.textContent).toContain('kept')
  expect(container.textContent).not.toContain('alert')
  expect([safeAddress('//elsewhere.example.com/x'), safeAddress('data:text/html,x')]).toEqual([
    'http://elsewhere.example.com/x',
    undefined,
  ])
  expect(plainText('<p>one</p><p>two<br>three</p><script>x</script>')).toBe('one two three')
})

test('[A2.03] channels are switched one by one and sent as a whole; the inbox always stays on', async () => {
  const calls = serve(({ method, body }) => ({
    body: { user_id: 'u1', receive_backends: ['email', 'site_msg'], ...(method === 'PATCH' ? (body as object) : {}) },
  }))
  show(<SubscriptionCard />, '/', '/')
  expect(isGreyed(await screen.findByRole('switch', { name: 'Site message' }))).toBe(true)
  expect(screen.queryByRole('switch', { name: 'WeCom' })).toBeNull()
  await userEvent.click(screen.getByRole('switch', { name: 'Email' }))
  await waitFor(() => expect(bodies(calls, 'PATCH')).toEqual([{ receive_backends: ['site_msg'] }]))
})

test('[A1.14 A2.57] a tick changes the channels of a kind at once', async () => {
  const kind = {
    message_type: 'Disk',
    message_type_label: 'Disk alarm',
    users: ['u1'],
    groups: [],
    receive_backends: ['email'],
    receivers: [{ id: 'u1', name: 'Ada(ada)' }],
  }
  const calls = serve(({ method, path }) => {
    if (method === 'PATCH') return { body: kind }
    if (path.endsWith('/backends/'))
      return {
        body: [
          { name: 'email', name_display: 'Mail' },
          { name: 'site_msg', name_display: 'Site' },
        ],
      }
    return { body: [{ category: 'ops', category_label: 'Operations', children: [kind] }] }
  })
  show(<SystemSubscriptions />, '/', '/')
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Disk alarm: Mail' }))
  await waitFor(() => expect(bodies(calls, 'PATCH')).toEqual([{ receive_backends: [] }]))
  expect(screen.getByText('Ada(ada)')).toBeDefined()
  expect(screen.queryByRole('checkbox', { name: 'Disk alarm: Site' })).toBeNull()
})
