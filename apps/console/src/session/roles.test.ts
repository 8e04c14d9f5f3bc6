import { hasPermission, permissionBits } from '@sallyport/contract/access.ts'
import { expect, test } from 'vitest'
import { currentRole, otherRole, storedRole, storeRole } from './roles.ts'

const admin = permissionBits('Admin', [])
const auditor = permissionBits('Auditor', [])

test('[A6.26 A6.27] a stored role is kept while the bits contain it, else the admin pages are chosen', () => {
  expect(currentRole(admin, 1, true)).toBe(1)
  expect(currentRole(auditor, 16, true)).toBe(2)
  expect(currentRole(admin, undefined, true)).toBe(146)
})

test('[A6.28] without organizations to administer or audit it is the user pages', () => {
  expect(currentRole(admin, 146, false)).toBe(1)
})

test('[A6.33] the other area is offered only when the bits allow it', () => {
  expect(otherRole(admin, 146)).toBe(1)
  expect(otherRole(admin, 1)).toBe(146)
  expect(otherRole(1, 1)).toBeUndefined()
})

test('[A4.07 A6.25 A6.26] switching to the user pages and back is kept, for each person alone', () => {
  localStorage.clear()
  const now = () => currentRole(admin, storedRole('ada'), true)
  expect(now()).toBe(146)
  for (const role of [1, 146]) {
    storeRole('ada', otherRole(admin, now()))
    expect(now()).toBe(role)
    expect(storedRole('ben')).toBeUndefined()
  }
})

test('[B6.01] use is 1, audit 2, admin 16, super 128; a check passes when every bit it asks for is there', () => {
  expect([permissionBits('User', []), permissionBits('Auditor', []), permissionBits('User', ['Admin']), admin]).toEqual(
    [1, 1 + 2, 1 + 2 + 16, 1 + 2 + 16 + 128],
  )
  expect([1, 2, 16, 128, 1 + 128, 2 + 16].every((bits) => hasPermission(admin, bits))).toBe(true)
  expect([2, 1 + 2].every((bits) => hasPermission(auditor, bits))).toBe(true)
  expect([16, 2 + 16, 1 + 2 + 16, 128].some((bits) => hasPermission(auditor, bits))).toBe(false)
})
