export {
  endForwardedConnection,
  endForwardedOfLost,
  type ForwardedEnd,
  type NewForwardedConnection,
  storeForwardedConnection,
} from './forwarded-connection.resource.ts'
