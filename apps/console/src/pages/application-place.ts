/** Attributes of an application as the server answers them, by its type. */
export type Attributes = Readonly<Record<string, unknown>>

/** The machine that a remote app is started on; empty where it is gone. */
export const machineOf = ({ asset_info }: Attributes) => (asset_info ?? {}) as { id?: string; hostname?: string }

/** Where an application is, in a few words: a database's address, a cluster's, or the machine of a remote app. */
export function placeOf(attrs: Attributes): string {
  const { host, port, cluster } = attrs
  return host ? `${host}:${port}` : cluster ? String(cluster) : (machineOf(attrs).hostname ?? '')
}
