import { PERMISSION } from '@sallyport/contract/access.ts'
import { msg } from '../../lib/i18n.ts'
import { places } from '../../navigation/page-place.ts'
import { CommandRunner } from './batch/CommandRunner.tsx'

export const routes = places(
  {
    name: 'BatchCommand',
    menu: 'ops',
    title: msg('Batch command'),
    path: '/ops/command-executions/create',
    removed: ({ SECURITY_COMMAND_EXECUTION }) => SECURITY_COMMAND_EXECUTION === false,
  },
  {
    name: 'CommandExecutions',
    menu: 'user-top',
    order: 40,
    title: msg('Batch command'),
    icon: 'jobs',
    path: '/command-executions',
    bits: PERMISSION.use,
    removed: ({ SECURITY_COMMAND_EXECUTION }) => SECURITY_COMMAND_EXECUTION === false,
  },
)

export const pages = { BatchCommand: CommandRunner, CommandExecutions: CommandRunner }
