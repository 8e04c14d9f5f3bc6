/** Whether there is a connector for a protocol; connectors stand above targets, and hand it down. */
let hasConnector = (_protocol: string): boolean => false

export function connectableBy(has: (protocol: string) => boolean): void {
  hasConnector = has
}

export const isConnectable = (protocol: string): boolean => hasConnector(protocol)
