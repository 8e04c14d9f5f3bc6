import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arrive } from '../../../kernel/arrivals/arrive.ts'
import { arrivePairs, endPairs, type PairOutcome, type PairPlace } from '../../../kernel/arrivals/arrive-pairs.ts'
import {
  permsPermission,
  permsPermissionNode,
  permsPermissionSystemUser,
  permsPermissionTarget,
  permsPermissionUser,
  permsPermissionUserGroup,
} from '../tables.ts'

/** Stores permissions of every family; what they are about follows by `grantArrived`. */
export const arrivePermissions = (run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> =>
  arrive(run, { kind: 'permission', table: permsPermission }, rows)

const PAIRS = {
  user: { kind: 'permission_user', table: permsPermissionUser, columns: ['permission', 'user'] },
  group: { kind: 'permission_group', table: permsPermissionUserGroup, columns: ['permission', 'usergroup'] },
  system_user: {
    kind: 'permission_system_user',
    table: permsPermissionSystemUser,
    columns: ['permission', 'systemuser'],
  },
  node: { kind: 'permission_node', table: permsPermissionNode, columns: ['permission', 'node'] },
  asset: { kind: 'permission_asset', table: permsPermissionTarget, columns: ['permission', 'asset'] },
  application: { kind: 'permission_application', table: permsPermissionTarget, columns: ['permission', 'application'] },
} as const satisfies Record<string, PairPlace>
export type GrantedPart = keyof typeof PAIRS
export const GRANTED_PARTS = Object.keys(PAIRS) as GrantedPart[]

/** Stores parts of permissions. System users are not bound by it: what they are bound to comes by itself. */
export const grantArrived = (
  run: ArrivalRun,
  part: GrantedPart,
  pairs: readonly (readonly [permission: string, part: string])[],
): Promise<PairOutcome> => arrivePairs(run, PAIRS[part], pairs)

/** Ends parts that came before and have ended there. */
export const endGranted = (run: ArrivalRun, part: GrantedPart): Promise<number> => endPairs(run, PAIRS[part])
