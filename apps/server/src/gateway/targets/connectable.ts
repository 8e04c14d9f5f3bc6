/** Whether a protocol gives such sessions; connectors are above targets, and pass it down. */
let givesKind = (_protocol: string, _kind: string): boolean => false

export function connectableBy(gives: (protocol: string, kind: string) => boolean): void {
  givesKind = gives
}

/** Whether there is a connector that gives such sessions. */
export const isConnectable = (protocol: string, kind: string): boolean => givesKind(protocol, kind)
