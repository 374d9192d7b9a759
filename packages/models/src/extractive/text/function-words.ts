const list = `a an the this that these those such of in on at by for with from to into onto upon about as and or but nor
if than then so because while although though until unless is are was were be been being am do does did doing done
has have had having will would shall should can could may might must not no it its itself he him his himself she her
hers herself they them their theirs themselves we us our ours you your yours i me my mine one there here what which who
whom whose when where why how also just only very too more most much many some any each every both either neither all
other another own same during between among within without through over under out up down off again once per via`;

/** English words that carry grammar more than matter, in lower case. */
export const functionWords: ReadonlySet<string> = new Set(list.split(/\s+/));

const pronounList = `he she it they this these those his her its their him them such both former latter here there`;

/** Words that point back to something said before. */
export const pronouns: ReadonlySet<string> = new Set(pronounList.split(/\s+/));
