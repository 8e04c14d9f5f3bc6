import { permissionBits } from '@sallyport/contract/access.ts'
import { expect, test } from 'vitest'
import { currentRole, otherRole } from './roles.ts'

const admin = permissionBits('Admin', [])
const auditor = permissionBits('Auditor', [])

test('[A6.26 A6.27] a stored role is kept while the bits contain it, else the admin pages are chosen', () => {
  expect(currentRole(admin, 1, true)).toBe(1)
  expect(currentRole(auditor, 16, true)).toBe(2)
  expect(currentRole(admin, undefined, true)).toBe(146)
})

test('[A6.28] without organisations to administer or audit it is the user pages', () => {
  expect(currentRole(admin, 146, false)).toBe(1)
})

test('[A6.33] the other area is offered only when the bits allow it', () => {
  expect(otherRole(admin, 146)).toBe(1)
  expect(otherRole(admin, 1)).toBe(146)
  expect(otherRole(1, 1)).toBeUndefined()
})
