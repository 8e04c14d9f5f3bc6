import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MailServer, startMailServer } from '../notifications/mail-server-fixture.ts'
import { settingsOf } from '../settings/index.ts'
import { askForCommand, commandReviewers } from './command-review.ts'
import { type CommandReviewFixture, openCommandReviewFixture } from './command-review-fixture.ts'

let fixture: CommandReviewFixture
let mailServer: MailServer
beforeAll(async () => {
  fixture = await openCommandReviewFixture()
  mailServer = await startMailServer()
  const { kernel } = fixture.server
  await settingsOf(kernel).change({
    EMAIL_HOST: 'localhost',
    EMAIL_PORT: String(mailServer.port),
    EMAIL_HOST_USER: 'door@example.com',
    SITE_URL: 'https://door.example.com',
  })
  const [first, second] = fixture.reviewers
  await kernel.pool.query(
    `UPDATE users_user SET language = CASE id WHEN $1 THEN 'en' ELSE 'cn' END WHERE id IN ($1, $2)`,
    [first.id, second.id],
  )
})
afterAll(async () => {
  await mailServer?.close()
  await fixture?.close()
})

/** Asks for that command, on that asset; answers the ticket's id and what the mail server took, by its receiver. */
async function mailed(text: string, asset?: string) {
  const { kernel } = fixture.server
  const rule = await commandReviewers(kernel.db, await fixture.aRule(), [fixture.person.id])
  if (!rule) throw new Error('the rule does not ask')
  mailServer.mails.length = 0
  const session = { ...(await fixture.aSession()), ...(asset && { asset }) }
  const applicant = { id: fixture.person.id, display: 'worker of test(worker)' }
  const ticket = await askForCommand(kernel, { session, applicant, text }, rule)
  await expect.poll(() => mailServer.mails.length).toBe(2)
  const to = (name: string) => mailServer.mails.find((mail) => mail.to[0] === `${name}@example.com`)
  return { ticket: ticket.id, english: to('first'), chinese: to('second') }
}

test('[A2.52] each reviewer gets a mail in their language: who, where, as whom, the command, and a link to the ticket', async () => {
  const { ticket, english, chinese } = await mailed('reboot now')
  expect(english?.subject).toBe('worker of test (worker) is waiting for your confirmation')
  expect(chinese?.subject).toBe('worker of test (worker) 等待您的复核')
  for (const mail of [english, chinese])
    for (const part of [mail?.text, mail?.html])
      for (const text of [
        'reboot now',
        'web-1 (127.0.0.1)',
        'root',
        `https://door.example.com/ui/tickets/tickets/${ticket}`,
      ])
        expect(part).toContain(text)
})

test('[A2.52] the mail shows any command as text: markup, control and reversing characters, Chinese, and 64 kB', async () => {
  const hostile =
    '<script>alert(1)</script><img src=x onerror=alert(2)> \u001b[2Jrm\u202e /srv\r\nBcc: evil@example.com 重启'
  const { english } = await mailed(hostile)
  expect(english?.html).not.toMatch(/<script|<img/)
  expect(english?.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;')
  for (const part of [english?.text, english?.html]) {
    expect(part).toMatch(/(<|&lt;)U\+001B(>|&gt;)\[2Jrm(<|&lt;)U\+202E(>|&gt;)/)
    expect(part).toContain('重启')
    for (const hidden of ['\u001b', '\u202e']) expect(part).not.toContain(hidden)
  }
  expect(english?.headers).not.toContain('bcc')

  const { chinese: long } = await mailed(`reboot ${'中'.repeat(65_536)}`)
  expect(long?.text).toContain('reboot 中中')
  expect(long?.text.match(/中/g)).toHaveLength(1024 - 'reboot '.length)
  // A batch command names all its machines: as many as anybody reads.
  for (const [names, shown] of [
    ['q'.repeat(512), 'q'.repeat(512)],
    ['q'.repeat(513), `${'q'.repeat(512)}…`],
  ] as const)
    expect((await mailed('id', names)).english?.text.match(/qq+…?/)?.[0]).toBe(shown)
})
