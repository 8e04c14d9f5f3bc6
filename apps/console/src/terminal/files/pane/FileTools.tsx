import { Tooltip } from 'antd'
import { Button } from '../../../design/Button.tsx'
import type { PaneAction } from './pane-actions.tsx'

/**
 * The actions as buttons. What can't be done stays in the row of keys, so that everybody finds out
 * why.
 */
export function FileTools({ actions }: { actions: readonly PaneAction[] }) {
  return (
    <div className="fm-tools" role="toolbar">
      {actions.map(({ key, text, icon, reason, danger, run }) => (
        <Tooltip key={key} title={reason ? `${text}: ${reason}` : text} mouseEnterDelay={0.4}>
          <Button
            type="text"
            size="small"
            icon={icon}
            aria-label={text}
            {...(danger && !reason ? { danger } : {})}
            className={`fm-tool${reason ? ' fm-off' : ''}`}
            {...(reason ? { 'aria-disabled': true, 'aria-description': reason } : { onClick: run })}
          >
            <span className="fm-tool-words" aria-hidden="true">
              {text}
            </span>
          </Button>
        </Tooltip>
      ))}
    </div>
  )
}
