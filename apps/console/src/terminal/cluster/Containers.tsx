import { ScrollTextIcon, TerminalIcon } from 'lucide-react'
import { Button } from '../../design/Button.tsx'
import { Status } from '../../design/Status.tsx'
import { t } from '../../lib/i18n.ts'
import type { ContainerPlace } from '../connect/connection.ts'
import type { Container } from './containers.ts'
import { toneOf } from './objects.ts'

/** Opens a container's log, or a shell in it. */
export type OpenContainer = (place: ContainerPlace, what: 'log' | 'shell') => void

interface ContainersProps {
  containers: readonly Container[]
  onOpen: ((name: string, what: 'log' | 'shell') => void) | undefined
}

/** The containers of a pod, with ways into each. */
export function Containers({ containers, onOpen }: ContainersProps) {
  return (
    <ul className="kb-containers" aria-label={t('Containers')}>
      {containers.map(({ name, image, state, isReady, restarts, isLasting }) => (
        <li key={name}>
          <div>
            <strong>{name}</strong>
            {state && <Status tone={toneOf(state)}>{state}</Status>}
            <span className="tool-pane-count">
              {[
                isLasting && state === 'Running' && !isReady && t('not ready'),
                restarts > 0 && t('{{count|restart|restarts}}', { count: restarts }),
                image,
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </div>
          {onOpen && (
            <div className="kb-ways">
              <Button
                size="small"
                icon={<ScrollTextIcon />}
                aria-label={t('Log of {{name}}', { name })}
                onClick={() => onOpen(name, 'log')}
              >
                {t('Log@@cluster')}
              </Button>
              {isLasting && (
                <Button
                  size="small"
                  icon={<TerminalIcon />}
                  aria-label={t('Shell in {{name}}', { name })}
                  onClick={() => onOpen(name, 'shell')}
                >
                  {t('Shell')}
                </Button>
              )}
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}
