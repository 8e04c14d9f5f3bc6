import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../test/server.ts'
import { settingsOf } from '../settings/index.ts'
import { sendMail } from './mail.ts'
import { type MailServer, type MailServerOptions, startMailServer } from './mail-server-fixture.ts'

const TESTING = '/api/v1/settings/mail/testing/'
const WITH_ACCOUNT = { user: 'door@example.com', password: 'Swordfish-1' }

let server: TestServer
const open: MailServer[] = []
const trusted = getCACertificates('default')

beforeAll(async () => {
  server = await openTestServer()
})
afterAll(async () => {
  setDefaultCACertificates(trusted)
  for (const one of open) await one.close()
  await server?.close()
})

/** Starts a mail server and points the settings to it. */
async function withMailServer(options: MailServerOptions, more: object = {}): Promise<MailServer> {
  const mailServer = await startMailServer(options)
  open.push(mailServer)
  await settingsOf(server.kernel).change({
    EMAIL_HOST: 'localhost',
    EMAIL_PORT: String(mailServer.port),
    EMAIL_HOST_USER: 'door@example.com',
    EMAIL_HOST_PASSWORD: options.password ?? '',
    EMAIL_FROM: '',
    EMAIL_RECIPIENT: 'me@example.com',
    EMAIL_USE_SSL: options.tls === 'ssl',
    EMAIL_USE_TLS: options.tls === 'starttls',
    ...more,
  })
  return mailServer
}

const trust = (mailServer: MailServer) => setDefaultCACertificates([...trusted, mailServer.certificate])

test('[B7.09] without a mail server the test says what to fill in, and mails are not queued', async () => {
  const { status, body } = await server.admin.post(TESTING, {})
  expect([status, body]).toEqual([400, { error: 'Fill in host and account of the mail server first' }])
  expect(await sendMail(server.kernel, { to: 'a@example.com', subject: 's', paragraphs: ['p'] })).toBe(false)
})

test('[B7.09] the test mail goes to the test recipient by the saved settings, in plain text where nothing else is set', async () => {
  const mailServer = await withMailServer({})
  const { status, body } = await server.admin.post(TESTING, {})
  expect([status, body]).toEqual([200, { msg: 'A test mail was sent to me@example.com' }])
  await expect
    .poll(() => mailServer.mails)
    .toMatchObject([
      { sender: 'door@example.com', to: ['me@example.com'], subject: 'Test mail', encrypted: false, signed_in: false },
    ])
})

test('[B7.09] values sent along count for this test only, and an empty password is the saved one', async () => {
  const mailServer = await withMailServer({ tls: 'starttls', ...WITH_ACCOUNT })
  trust(mailServer)
  const before = settingsOf(server.kernel).all()
  const sent = {
    EMAIL_FROM: 'other@example.com',
    EMAIL_RECIPIENT: 'you@example.com',
    EMAIL_HOST_PASSWORD: '',
    NONSENSE: {},
  }
  expect((await server.admin.post(TESTING, sent)).status).toBe(200)
  await expect
    .poll(() => mailServer.mails)
    .toMatchObject([{ sender: 'other@example.com', to: ['you@example.com'], encrypted: true, signed_in: true }])
  expect(settingsOf(server.kernel).all()).toEqual(before)
  const bad = await server.admin.post(TESTING, { EMAIL_PORT: '99999', EMAIL_RECIPIENT: 'a@b\r\nBcc: c@d' })
  expect([bad.status, Object.keys(bad.body).toSorted()]).toEqual([400, ['EMAIL_PORT', 'EMAIL_RECIPIENT']])
})

test.each(['ssl', 'starttls'] as const)(
  '[B7.09] %s: encrypted with account and password, to a server whose certificate is trusted',
  async (tls) => {
    const mailServer = await withMailServer({ tls, ...WITH_ACCOUNT })
    setDefaultCACertificates(trusted)
    const refused = await server.admin.post(TESTING, {})
    expect(refused.status).toBe(400)
    expect(refused.body.error).toMatch(/^No encrypted connection to the mail server could be made \(.*certificate/)
    trust(mailServer)
    expect((await server.admin.post(TESTING, {})).status).toBe(200)
    await expect.poll(() => mailServer.mails).toMatchObject([{ encrypted: true, signed_in: true }])
  },
)

test('[B7.09] a failure is reported in the words of the server, and never with the password', async () => {
  const errorOf = async (more: object) => {
    const { status, body } = await server.admin.post(TESTING, more)
    return [status, body.error]
  }
  const mailServer = await withMailServer({ tls: 'starttls', ...WITH_ACCOUNT })
  trust(mailServer)
  const wrong = await errorOf({ EMAIL_HOST_PASSWORD: 'Herring-1' })
  expect(wrong).toEqual([400, expect.stringMatching(/^The mail server refuses this account or password \(535 /)])
  expect(JSON.stringify(wrong)).not.toMatch(/Herring/)
  expect(await errorOf({ EMAIL_RECIPIENT: 'nobody@example.com' })).toEqual([
    400,
    'The mail server refuses the sender or the recipient (550 5.1.1 No such person here)',
  ])
  expect(await errorOf({ EMAIL_PORT: '1', EMAIL_HOST_PASSWORD: 'Herring-1' })).toEqual([
    400,
    expect.stringMatching(/^The mail server cannot be reached with these settings/),
  ])
  expect(await errorOf({ EMAIL_USE_TLS: false, EMAIL_USE_SSL: true })).toEqual([
    400,
    expect.stringMatching(/^No encrypted connection to the mail server could be made/),
  ])
  expect(mailServer.mails).toEqual([])
})

test('a mail is sent in the background, as plain text and as HTML in which names are no markup', async () => {
  const mailServer = await withMailServer({})
  const name = '<img src=x onerror=alert(1)> & "Co"'
  await sendMail(server.kernel, {
    to: 'ann@example.com',
    subject: 'Hello\r\nBcc: evil@example.com',
    paragraphs: [`Dear ${name},`],
    link: { text: 'Set a password', url: 'https://door.example.com/?a=1&b="2' },
  })
  await expect.poll(() => mailServer.mails.length).toBe(1)
  const [mail] = mailServer.mails
  expect(mail).toMatchObject({ to: ['ann@example.com'], subject: 'Hello Bcc: evil@example.com' })
  expect(mail?.headers).not.toContain('bcc')
  expect(mail?.text).toContain(`Dear ${name},`)
  expect(mail?.text).toContain('https://door.example.com/?a=1&b="2')
  expect(mail?.html).not.toContain('<img')
  expect(mail?.html).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;Co&quot;')
  expect(mail?.html).toContain('href="https://door.example.com/?a=1&amp;b=&quot;2"')
  expect(mail?.text).toMatch(/--\s+Sallyport/)
})

test('what waits in the queue can be read by nobody who reads the database', async () => {
  const mailServer = await withMailServer({})
  await sendMail(server.kernel, { to: 'ann@example.com', subject: 'Subject-word', paragraphs: ['Token-word'] })
  const { rows } = await server.kernel.pool.query("SELECT data FROM kernel_job WHERE queue = 'notifications.send_mail'")
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toMatch(/Token-word|Subject-word|ann@/)
  await expect.poll(() => mailServer.mails.length).toBe(1)
})

test('a mail is sent again when the server was busy, later each time, and given up at once when it was refused for good', async () => {
  const mailServer = await withMailServer({ busy: 1 })
  const waiting = async () => {
    const { rows } = await server.kernel.pool.query(
      "SELECT extract(epoch FROM date_due - now())::float AS pause FROM kernel_job WHERE queue = 'notifications.send_mail' AND state = 'waiting' AND tries > 0",
    )
    return rows
  }
  await sendMail(server.kernel, { to: 'ann@example.com', subject: 'Later', paragraphs: ['p'] })
  await expect.poll(async () => (await waiting()).length).toBe(1)
  const [job] = await waiting()
  expect(job.pause).toBeGreaterThan(1)
  expect(server.kernel.jobs.works).toContainEqual(
    expect.objectContaining({ queue: 'notifications.send_mail', retries: 8 }),
  )
  expect(mailServer.mails).toEqual([])
  await server.kernel.pool.query(
    "UPDATE kernel_job SET date_due = now() WHERE queue = 'notifications.send_mail' AND state = 'waiting' AND tries > 0",
  )
  await server.kernel.events.publish('jobs.due', { queues: ['notifications.send_mail'] })
  await expect.poll(() => mailServer.mails.length).toBe(1)

  await sendMail(server.kernel, { to: 'nobody@example.com', subject: 'Never', paragraphs: ['p'] })
  const pending = async () =>
    (
      await server.kernel.pool.query(
        "SELECT 1 FROM kernel_job WHERE queue = 'notifications.send_mail' AND state IN ('waiting', 'running')",
      )
    ).rowCount
  await expect.poll(pending).toBe(0)
  expect(await waiting()).toEqual([])
})
