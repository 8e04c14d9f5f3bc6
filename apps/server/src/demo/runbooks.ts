import type { ReadContext } from '../kernel/resource/mount.ts'
import { type Draft, ensureAll } from './rows.ts'

/** The runbooks of the company; its machines have answers to them (`shell.ts`). */
const RUNBOOKS: readonly Draft[] = [
  {
    name: 'How is the machine? 健康检查',
    comment: 'Before and after a change',
    steps: [
      { name: 'Load', command: 'echo {{host.name}}\nuptime' },
      { name: 'Disks', command: 'df -h' },
    ],
  },
  {
    name: 'Restart a service 重启服务',
    comment: 'Restarts it, and looks whether it is up again',
    variables: [{ name: 'service', label: 'Which service?', value: 'nginx' }],
    steps: [
      { name: 'Restart', command: 'echo restarting {{service}} on {{host.name}}\nsystemctl restart {{service}}' },
      { name: 'Is it up?', command: 'systemctl is-active {{service}}' },
    ],
  },
]

export const seedRunbooks = (context: ReadContext) => ensureAll(context, 'runbook', 'name', RUNBOOKS)
