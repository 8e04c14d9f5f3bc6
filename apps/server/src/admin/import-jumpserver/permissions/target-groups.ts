/** Targets of a permission that have the same system users. */
export interface TargetGroup {
  /** Type of applications; null for machines. */
  type: string | null
  targets: string[]
  systemUsers: SystemUser[]
}

export interface SystemUser {
  id: string
  protocol: string
}

/** Targets with the same protocols and the same system users. */
interface Alike extends TargetGroup {
  protocols: readonly string[]
}

/** Targets with their protocols and the system users that are meant on them. */
export interface ReachedTarget {
  id: string
  type: string | null
  protocols: readonly string[]
  systemUsers: readonly SystemUser[]
}

/**
 * As few groups as a greedy search finds in which all system users of the group are meant on each of its
 * targets. One for a protocol that a target does not speak does no harm there.
 */
export function groupTargets(reached: readonly ReachedTarget[]): TargetGroup[] {
  const alike = new Map<string, Alike>()
  for (const { id, type, protocols, systemUsers } of reached) {
    const key = JSON.stringify([type, [...protocols].sort(), systemUsers.map((one) => one.id).sort()])
    const found = alike.get(key) ?? { type, protocols, targets: [], systemUsers: [...systemUsers] }
    found.targets.push(id)
    alike.set(key, found)
  }
  const groups: { type: string | null; members: Alike[] }[] = []
  for (const one of [...alike.values()].sort((a, b) => b.targets.length - a.targets.length)) {
    const fitting = groups.find(({ type, members }) => type === one.type && goTogether([...members, one]))
    if (fitting) fitting.members.push(one)
    else groups.push({ type: one.type, members: [one] })
  }
  return groups.map(({ type, members }) => ({
    type,
    targets: members.flatMap(({ targets }) => targets),
    systemUsers: together(members),
  }))
}

const together = (members: readonly Alike[]): SystemUser[] => [
  ...new Map(members.flatMap(({ systemUsers }) => systemUsers.map((one) => [one.id, one] as const))).values(),
]

function goTogether(members: readonly Alike[]): boolean {
  const all = together(members)
  return members.every(
    ({ protocols, systemUsers }) =>
      all.filter(({ protocol }) => protocols.includes(protocol)).length === systemUsers.length,
  )
}
