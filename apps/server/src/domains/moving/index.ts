export {
  DIFFERENCES_FILE,
  type Fault,
  type MoveNews,
  type MoveOrder,
  type MoveOutcome,
  type OutcomeKind,
  type OutcomeRemark,
  REPORT_FILE,
} from './order.ts'
export { type Moving, registerMoving } from './routes.ts'
