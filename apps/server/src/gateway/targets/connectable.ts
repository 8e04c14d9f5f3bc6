/** What kind of session a protocol gives; connectors stand above targets, and hand it down. */
let kindOfSession = (_protocol: string): string | undefined => undefined

export function connectableBy(kindOf: (protocol: string) => string | undefined): void {
  kindOfSession = kindOf
}

/** Whether there is a connector that gives such sessions. */
export const isConnectable = (protocol: string, kind: string): boolean => kindOfSession(protocol) === kind
