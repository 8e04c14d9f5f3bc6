import { StateCell } from '../../generic/cells/StateCell.tsx'
import { runState } from '../row-states.ts'

/** How it stands with a run of a plan. */
export function RunState(run: { isOver: boolean; isGood: boolean }) {
  return <StateCell {...runState(run)} />
}
