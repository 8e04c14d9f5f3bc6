import type { Patch } from './patch.ts'

const unlessStarted = 'if (replied || session._ending || session._channel)'
const unlessClosed = 'if (replied || !/^(open|eof)$/.test(session._chanInfo.outgoing.state))'

/**
 * Once a program runs, ssh2 leaves requests on its channel unanswered, even those that want a reply
 * (RFC 4254 §5.4): PuTTY measures its window by them. And once the client has sent its last input,
 * ssh2 takes no request any more, such as a signal or a new size of the window; yet the end of input
 * ends nothing else (§5.3).
 */
export const requestReplies: Patch = [
  {
    file: 'server.js',
    was: `                ${unlessStarted}
                  return;
                replied = true;

                proto.channelSuccess`,
    is: `                ${unlessClosed}
                  return;
                replied = true;

                proto.channelSuccess`,
  },
  {
    file: 'server.js',
    was: `              ${unlessStarted}
                return;
              replied = true;

              proto.channelFailure`,
    is: `              ${unlessClosed}
                return;
              replied = true;

              proto.channelFailure`,
  },
  {
    file: 'server.js',
    was: `          if (session._ending) {
            reject && reject();`,
    is: `          if (session._ending && !session._channel) {
            reject && reject();`,
  },
]
