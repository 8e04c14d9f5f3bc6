export type { AskedPlace, Place } from './destination.ts'
export {
  type ForwardingRight,
  forwardsAnything,
  judgePlace,
  NO_FORWARDING,
  type NotForwarded,
} from './forwarding-right.ts'
