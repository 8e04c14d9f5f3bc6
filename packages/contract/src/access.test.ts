import { expect, test } from 'vitest'
import { hasPermission, type OrgRole, PAGE_ROLE, PERMISSION, permissionBits, type SystemRole } from './access.ts'

test('[A6.01] permission bits are one bit each: use 1, audit 2, admin 16, super 128', () => {
  expect(PERMISSION).toEqual({ use: 1, audit: 2, admin: 16, super: 128 })
  const bits: number[] = Object.values(PERMISSION)
  expect(bits.every((bit) => (bit & (bit - 1)) === 0)).toBe(true)
  expect(bits.reduce((sum, bit) => sum | bit)).toBe(bits.reduce((sum, bit) => sum + bit))
})

test('[A6.02 A6.03 A6.04 A6.05 A6.06 A6.07 A6.08] page roles are sums of them', () => {
  const { use, audit, admin, super: superBit } = PERMISSION
  expect(PAGE_ROLE).toEqual({
    SuperAdmin: superBit + admin + audit,
    SuperAuditor: superBit + audit + use,
    OrgAdmin: admin + audit,
    OrgAuditor: audit + use,
    User: use,
    Anon: 0,
  })
})

const SYSTEM_ROLES: SystemRole[] = ['Admin', 'Auditor', 'User', 'App']
const SETS: OrgRole[][] = [
  [],
  ['User'],
  ['Auditor'],
  ['Admin'],
  ['Auditor', 'User'],
  ['Admin', 'User'],
  ['Admin', 'Auditor', 'User'],
]

test('[A6.10 A6.11 A6.12] a system administrator is SuperAdmin and User, an administrator of the organization OrgAdmin and User', () => {
  for (const roles of SETS) expect(permissionBits('Admin', roles)).toBe(PAGE_ROLE.SuperAdmin | PAGE_ROLE.User)
  for (const roles of SETS.filter((one) => one.includes('Admin')))
    expect(permissionBits('User', roles)).toBe(PAGE_ROLE.OrgAdmin | PAGE_ROLE.User)
})

test('[A6.13 A6.14] every auditor becomes an auditor of the organization, a person without another role a user; roles add up, and their order is nothing', () => {
  expect(permissionBits('Auditor', [])).toBe(PAGE_ROLE.OrgAuditor)
  expect(permissionBits('User', ['User', 'Auditor'])).toBe(PAGE_ROLE.OrgAuditor)
  expect(permissionBits('Auditor', ['Admin'])).toBe(PAGE_ROLE.OrgAdmin + PAGE_ROLE.User)
  for (const roles of [[], ['User']]) expect(permissionBits('User', roles)).toBe(PAGE_ROLE.User)
  expect(permissionBits('User', ['Gardener'])).toBe(PAGE_ROLE.User)
  for (const system of SYSTEM_ROLES)
    for (const roles of SETS) expect(permissionBits(system, roles.toReversed())).toBe(permissionBits(system, roles))
})

test('[A6.04 A6.19] the super bit is for system administrators alone: no auditor and no administrator of an organization has it', () => {
  for (const system of SYSTEM_ROLES)
    for (const roles of SETS)
      expect(hasPermission(permissionBits(system, roles), PERMISSION.super)).toBe(system === 'Admin')
})
