export { usesOfGrants } from './grant-uses.ts'
export { factsNow, grantPairs, permissionsInForce, type StandingFacts, standingGrants } from './grants-in-force.ts'
export { usedPermissions, widelyReached } from './used-permissions.ts'
export { grantKey, type StandingGrant, withdrawGrants } from './withdrawal.ts'
