// Class 10: reset and MFA codes: CSPRNG only, attempt limits, constant time, one use, no seed from
// any public endpoint.
import { expect, test } from 'vitest'
import { aGuarded, aJar, anAddress, aResetToken, call, codeOf, LOGIN, PASSWORD, signIn } from './visitor.ts'

const RESET = '/core/auth/password/reset/'
const reset = (token: string, password: string, address = anAddress()) =>
  call('POST', RESET, { token, new_password: password, confirm_password: password }, { 'x-forwarded-for': address })

test('a link to a new password is used by one of many at once, and never again', async () => {
  const { username, token } = await aResetToken()
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => reset(token, `Chosen-by-${n}-of-8`)))
  const won = answers.flatMap(({ status }, n) => (status === 200 ? [n] : []))
  expect(won).toHaveLength(1)
  await signIn(username, `Chosen-by-${won[0]}-of-8`)
  expect((await reset(token, 'Chosen-once-more-1')).body.code).toBe('token_invalid')
})

test('made-up links are bounded for an address, also a right one after too many wrong ones', async () => {
  const { token } = await aResetToken()
  const address = anAddress()
  const answers = []
  for (let n = 0; n < 21; n++) answers.push((await reset(`${n}`.padStart(50, 'a'), 'Chosen-by-me-1', address)).status)
  expect(answers.slice(0, 20)).toEqual(Array(20).fill(400))
  expect(answers[20]).toBe(429)
  expect((await reset(token, 'Chosen-by-me-1', address)).status).toBe(429)
  expect((await reset(token, 'Chosen-by-me-1')).status).toBe(200)
})

test('links have 50 letters and digits of their own, and none shares a beginning, an order or a length with another', async () => {
  const tokens = await Promise.all(Array.from({ length: 6 }, async () => (await aResetToken()).token))
  for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9]{50}$/)
  const places = Array.from({ length: 50 }, (_, n) => new Set(tokens.map((token) => token[n])).size)
  // Six characters drawn from 62 are all alike at one place with a chance of one in 62 to the fifth; a counter
  // or a clock would have many such places.
  expect(places.filter((different) => different === 1)).toEqual([])
})

test('codes of a second factor that are sent at once, from many addresses and over both ways in, get no more tries than one after the other', async () => {
  const { username, secret } = await aGuarded()
  const halves = await Promise.all(
    Array.from({ length: 4 }, async (_, n) => {
      const browser = aJar(anAddress())
      if (n % 2) await browser.call('POST', LOGIN, { username, password: PASSWORD })
      else await browser.call('POST', '/api/v1/authentication/tokens/', { username, password: PASSWORD })
      return browser
    }),
  )
  const wrong = (n: number) => String((Number(codeOf(secret)) + 100_000 + n) % 1_000_000).padStart(6, '0')
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, n) => {
      const browser = halves[n % 4]
      return n % 2
        ? browser?.call('POST', '/core/auth/login/mfa/', { code: wrong(n) })
        : browser?.call('POST', '/api/v1/authentication/mfa/challenge/', { type: 'otp', code: wrong(n) })
    }),
  )
  expect(answers.filter((answer) => answer?.body.error === 'mfa_failed')).toHaveLength(7)
  expect(answers.filter((answer) => answer?.body.error === 'block_mfa')).toHaveLength(17)
  expect(
    (await halves[0]?.call('POST', '/api/v1/authentication/mfa/challenge/', { type: 'otp', code: codeOf(secret) }))
      ?.body.error,
  ).toBe('block_mfa')
})
