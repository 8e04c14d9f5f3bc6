import { Provided } from '../../kernel/provided.ts'

/** Whether a protocol gives such sessions; provided by the connectors, which are above targets. */
export const connectorKinds = new Provided<(protocol: string, kind: string) => boolean>(
  'kinds of sessions',
  () => false,
)

/** Whether there is a connector that gives such sessions. */
export const isConnectable = (protocol: string, kind: string): boolean => connectorKinds.value(protocol, kind)
