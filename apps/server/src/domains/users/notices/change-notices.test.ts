import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestBrowser } from '../../../../test/browser.ts'
import { type Caller, openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { type MailServer, startMailServer } from '../../notifications/mail-server-fixture.ts'
import { settingsOf } from '../../settings/index.ts'

const PROFILE = '/api/v1/users/profile/'
const USERS = '/api/v1/users/users/'
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJm6tSBfy1w0dvhfNQ3CG8fGTn1yW3rtHuL2ZwHHQPqt'
const NEXT = 'Another-person-2'

let server: TestServer
let mailServer: MailServer

beforeAll(async () => {
  server = await openTestServer()
  mailServer = await startMailServer()
  await settingsOf(server.kernel).change({
    EMAIL_HOST: 'localhost',
    EMAIL_PORT: String(mailServer.port),
    EMAIL_HOST_USER: 'door@example.com',
  })
})
afterAll(async () => {
  await mailServer?.close()
  await server?.close()
})

/** Subjects and texts of what came to this person, in order. */
const mailsTo = (username: string) => mailServer.mails.filter(({ to }) => to.includes(`${username}@example.com`))
/** Someone who reads that language, and a check of the mails that they get from now on. */
async function someone(
  username: string,
  language: 'cn' | 'en',
): Promise<{ person: Caller; gotMail: (subject: string, text: string) => Promise<void> }> {
  const person = await server.aPerson(username)
  await server.kernel.pool.query('UPDATE users_user SET language = $1 WHERE id = $2', [language, person.id])
  return {
    person,
    async gotMail(subject, text) {
      await expect.poll(() => mailsTo(username).map((mail) => mail.subject)).toContain(subject)
      expect(mailsTo(username).find((mail) => mail.subject === subject)?.text).toContain(text)
    },
  }
}

test('[A3.06] an administrator’s change of password, SSH key or second factor is mailed to the person, in their language', async () => {
  const { admin } = server
  const [ann, bao] = [await someone('ann', 'en'), await someone('bao', 'cn')]
  expect((await admin.put(`${USERS}${ann.person.id}/password/`, { password: NEXT })).status).toBe(200)
  await ann.gotMail(
    'An administrator has set your password',
    'Everything that was signed in with the old one has been signed out.',
  )
  expect((await admin.patch(`${USERS}${ann.person.id}/`, { public_key: `${KEY} ann` })).status).toBe(200)
  await ann.gotMail('An administrator has set your SSH key', 'The one before does not sign you in any more.')
  expect((await admin.patch(`${USERS}${bao.person.id}/`, { password: NEXT })).status).toBe(200)
  await bao.gotMail('管理员已为您设置新密码', '使用旧密码的登录已全部退出')
  expect((await admin.put(`${USERS}${bao.person.id}/pubkey/reset/`, {})).status).toBe(200)
  await bao.gotMail('您的 SSH 公钥已被移除', '管理员移除了您的 SSH 公钥')
  expect((await admin.get(`${USERS}${bao.person.id}/mfa/reset/`)).status).toBe(200)
  await bao.gotMail('您的 MFA 已被重置', '管理员关闭了您的 MFA')
})

test('[A3.06] a person’s own change of password, SSH key or second factor is mailed to them, with the address it came from', async () => {
  const { person, gotMail } = await someone('cleo', 'en')
  expect((await person.put(`${PROFILE}public-key/`, { public_key: `${KEY} cleo` })).status).toBe(200)
  await gotMail('Your SSH key was changed', 'from the address 127.0.0.1')
  const browser = openTestBrowser(server)
  const signIn = async () => {
    await browser.call('GET', '/core/auth/login/')
    expect((await browser.call('POST', '/core/auth/login/', { username: 'cleo', password: PASSWORD })).status).toBe(200)
  }
  await signIn()
  const bind = '/core/auth/profile/otp/enable/bind/'
  const { secret } = (await browser.call('GET', bind)).body
  const otp_code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  expect((await browser.call('POST', bind, { otp_code })).status).toBe(200)
  await gotMail('An authenticator app was set up', 'from the address 127.0.0.1')
  // Also by a link that was asked for: a reader of the person's mail must not be the only one to
  // know.
  const link = await server.admin.patch(`${USERS}${person.id}/password/reset/`)
  expect(link.status).toBe(200)
  await expect.poll(() => mailsTo('cleo').some(({ text }) => /reset\/\?token=/.test(text))).toBe(true)
  const [, token] =
    /reset\/\?token=([\w-]+)/.exec(
      mailsTo('cleo')
        .map(({ text }) => text)
        .join('\n'),
    ) ?? []
  const answer = await server.call('POST', `/core/auth/password/reset/?token=${token}`, {
    body: { token, new_password: NEXT, confirm_password: NEXT },
  })
  expect(answer.status).toBe(200)
  await gotMail('Your password was changed', 'from the address 127.0.0.1')
  // Nobody gets mail about other people.
  expect(mailsTo('ann').length + mailsTo('bao').length + mailsTo('cleo').length).toBe(mailServer.mails.length)
})
