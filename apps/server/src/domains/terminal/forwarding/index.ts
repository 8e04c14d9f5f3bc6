export {
  endForwardedConnection,
  endForwardedOfLost,
  type ForwardedEnd,
  type NewForwardedConnection,
  storeForwardedConnection,
  storePastForwarded,
} from './forwarded-connection.resource.ts'
