import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { translate } from '../../../kernel/i18n/translate.ts'
import { assetRows2, assetRows3 } from '../fixtures/assets-fixture.ts'
import { type Installations, onTarget, opened, startInstallations } from '../fixtures/installations-fixture.ts'
import { peopleRows } from '../fixtures/people-fixture.ts'
import { KEY, seal } from '../fixtures/sealed-fixture.ts'
import { V2_28, V3_10 } from '../fixtures/tables-fixture.ts'
import { allLinesOf } from '../report/print.ts'
import type { Report } from '../report/report.ts'

let theirs: Installations
beforeAll(async () => {
  theirs = await startInstallations()
})
afterAll(() => theirs?.close())

const counts = (report: Report) => {
  const { read, added, updated, same, behind } = report.kind('Settings')
  return { read, added, updated, same, behind }
}
const textOf = (report: Report) => allLinesOf(report.kinds, 'en').join('\n')

/** As version 2 keeps secrets of settings: signed. */
function signed(text: string): string {
  const [head, body] = [{ alg: 'HS256' }, text].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  // Their library derives nothing for signatures of JSON in this form.
  const signature = createHmac('sha256', KEY).update(`${head}.${body}`).digest('base64url')
  return `${head}.${body}.${signature}`
}

const rowsOf = (sealed: (text: string) => string) => ({
  settings_setting: Object.entries({
    SECURITY_PASSWORD_MIN_LENGTH: '12',
    SECURITY_LOGIN_CAPTCHA_ENABLED: 'false',
    LOGIN_LOG_KEEP_DAYS: '365',
    OPERATE_LOG_KEEP_DAYS: '"many"',
    FTP_LOG_KEEP_DAYS: '7',
    SECURITY_MAX_IDLE_TIME: '15',
    EMAIL_HOST: '"smtp.example.com"',
    EMAIL_PORT: '"465"',
    EMAIL_HOST_USER: '"robot"',
    EMAIL_HOST_PASSWORD: sealed('"mail word"'),
    USER_GUIDE_URL: '"javascript:alert(1)"',
    SITE_URL: '"https://old.example.com"',
    AUTH_LDAP_SERVER_URI: '"ldap://10.0.0.9"',
    VAULT_ENABLED: 'true',
    BROKEN: '{',
  }).map(([name, value]) => ({
    name,
    value,
    encrypted: name.includes('PASSWORD') && name !== 'SECURITY_PASSWORD_MIN_LENGTH',
    enabled: true,
    category: 'x',
  })),
})

test('settings that lead nowhere come where nobody has set them, those with addresses only when asked for', async () => {
  for (const [engine, tables, version, assets, sealed] of [
    ['mysql', V2_28, 'v2.28', assetRows2, signed],
    ['postgres', V3_10, 'v3.10', assetRows3('domain'), seal],
  ] as const) {
    const from = await theirs.make(engine, tables, { ...peopleRows(version), ...assets, ...rowsOf(sealed) })
    await onTarget(async (target) => {
      await target.rows(`INSERT INTO settings_setting (name, value) VALUES ('SECURITY_MAX_IDLE_TIME', '99')`)
      const stored = async () =>
        Object.fromEntries(
          (await target.rows('SELECT name, value FROM settings_setting WHERE value_sealed IS NULL')).map((row) => [
            row.name,
            row.value,
          ]),
        )
      const tried = await target.import(from, { isDryRun: true })
      const { report } = await target.import(from)
      expect(textOf(tried.report)).toBe(textOf(report))
      expect(counts(report)).toEqual({ read: 15, added: 3, updated: 0, same: 0, behind: 12 })
      const harmless = {
        ...{ SECURITY_PASSWORD_MIN_LENGTH: 12, SECURITY_LOGIN_CAPTCHA_ENABLED: false, LOGIN_LOG_KEEP_DAYS: 365 },
        SECURITY_MAX_IDLE_TIME: 99,
      }
      expect(await stored()).toEqual(harmless)
      for (const words of [
        'Is false from now on, as there: SECURITY_LOGIN_CAPTCHA_ENABLED',
        'Is shorter than here: rows of here would be removed: FTP_LOG_KEEP_DAYS',
        'Is set here already: SECURITY_MAX_IDLE_TIME',
        'Has addresses or secrets: ask for it by --settings-with-addresses: EMAIL_HOST, ',
        'Its value is not allowed here: BROKEN, OPERATE_LOG_KEEP_DAYS',
        'A directory: make it here, and try it before people need it: AUTH_LDAP_SERVER_URI',
      ])
        expect(textOf(report)).toContain(words)
      const remarks = report.kind('Settings')
      for (const sentence of [...remarks.changed.keys(), ...remarks.stays.keys(), remarks.label])
        expect(translate('cn', sentence)).not.toBe(sentence)
      expect(textOf(report)).not.toContain('mail word')

      const asked = await target.import(from, { settings: { withAddresses: true } })
      expect(counts(asked.report)).toMatchObject({ added: 4, updated: 0, same: 3 })
      expect(await stored()).toEqual({
        ...harmless,
        ...{ EMAIL_HOST: 'smtp.example.com', EMAIL_PORT: '465', EMAIL_HOST_USER: 'robot' },
      })
      const [secret] = await target.rows(`SELECT value_sealed FROM settings_setting WHERE name = 'EMAIL_HOST_PASSWORD'`)
      expect(opened(secret.value_sealed)).toBe('"mail word"')
      // Their mail server changes: its password would go to the one of here.
      await from.sql(`UPDATE settings_setting SET value = '"elsewhere"' WHERE name = 'EMAIL_HOST'`)
      await from.sql(`UPDATE settings_setting SET value = '30' WHERE name = 'SECURITY_PASSWORD_MIN_LENGTH'`)
      const later = await target.import(from, { settings: { withAddresses: true } })
      expect(counts(later.report)).toMatchObject({ added: 0, updated: 1 })
      expect(await stored()).toMatchObject({ EMAIL_HOST: 'smtp.example.com', SECURITY_PASSWORD_MIN_LENGTH: 30 })
    })
  }
})
