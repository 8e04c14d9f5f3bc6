import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { RunFault } from '../tables.ts'

/** The fault of a cloud or a run of a task, for people. */
export function cloudFaultInWords(
  { fault, message }: { fault: RunFault; message: string },
  language: Language,
): string {
  const say = (text: string) => translate(language, text, { answer: message })
  switch (fault) {
    case 'denied':
      return say('The cloud does not take these keys, or they may not list machines ({{answer}})')
    case 'clock':
      return say('The clocks of this server and of the cloud differ too much ({{answer}})')
    case 'busy':
      return say('The cloud is busy: try again later ({{answer}})')
    case 'unreachable':
      return say('The cloud does not answer ({{answer}})')
    case 'unreadable':
      return say('What answers there is not this cloud ({{answer}})')
    case 'forbidden':
      return say('No cloud can be at this address')
    case 'refused':
      return say('The cloud refuses what it is asked for ({{answer}})')
    case 'no_node':
      return say('The node of the task does not exist any more: choose another')
    case 'stopped':
      return say('The run did not come to its end: the log says how far')
  }
}
