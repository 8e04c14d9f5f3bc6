import { Button } from '../../../design/Button.tsx'
import { tip } from '../../../design/tip.ts'
import type { PaneAction } from './pane-actions.tsx'

/**
 * The actions as buttons. What can't be done stays in the row of keys, so that everybody finds out
 * why.
 */
export function FileTools({ actions }: { actions: readonly PaneAction[] }) {
  return (
    <div className="fm-tools" role="toolbar">
      {actions.map(({ key, text, icon, reason, danger, run }) => (
        <Button
          key={key}
          {...tip(text)}
          type="text"
          size="small"
          icon={icon}
          aria-label={text}
          danger={danger}
          whyDisabled={reason}
          className="fm-tool"
          onClick={run}
        >
          <span className="fm-tool-words" aria-hidden="true">
            {text}
          </span>
        </Button>
      ))}
    </div>
  )
}
