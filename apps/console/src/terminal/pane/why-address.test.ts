import { expect, test } from 'vitest'
import { whyAddress } from './why-address.ts'

test('a refused session leads to its reason: of the machine or application that was meant, as that account', () => {
  const asked = { target_id: 'a1', system_user_id: 's1' }
  expect(whyAddress({ type: 'ssh', ...asked })).toBe('/ui/perms/own-access?asset=a1&system_user=s1')
  expect(whyAddress({ type: 'mysql', ...asked })).toBe('/ui/perms/own-access?application=a1&system_user=s1')
  // The protocol of a remote app is that of its machine.
  expect(whyAddress({ type: 'rdp', family: 'application', target_id: 'a1' })).toBe(
    '/ui/perms/own-access?application=a1',
  )
  expect(whyAddress({ type: 'token', target_id: 'secret' })).toBeUndefined()
})
