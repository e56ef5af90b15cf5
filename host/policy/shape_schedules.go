package policy

type schedule struct {
	Name      string   `key:"name" is:"name" doc:"Unique in the policy. Required."`
	Tools     []string `key:"tools" is:"tool" doc:"The tools that it is about: server/tool, both halves globs. Required."`
	Allow     []window `key:"allow" doc:"When they may be called. Required; an empty list: never."`
	Otherwise *string  `key:"otherwise" enum:"deny|ask" doc:"What a call outside every window yields. Absent: deny."`
}

type window struct {
	Days []string `key:"days" is:"days" doc:"Days that the window starts on: mon, tue, wed, thu, fri, sat, sun, or a range such as mon-fri. Absent: every day."`
	From *string  `key:"from" is:"clock" doc:"When it opens, such as \"09:00\". Absent with to: the whole day."`
	To   *string  `key:"to" is:"clock" doc:"When it closes, up to \"24:00\"; not after from: on the next day."`
	Zone string   `key:"zone" is:"zone" doc:"The time zone, such as Europe/Berlin. Required."`
}

type identity struct {
	Name  string         `key:"name" is:"name" doc:"Unique in the policy, and what --identity takes. Required."`
	Match *identityMatch `key:"match" doc:"Who it is. Absent: only a process that was started with --identity and the name."`
	Tools []string       `key:"tools" is:"tool" doc:"The only tools that it may call: server/tool, both halves globs. Absent: no limit."`
}

type identityMatch struct {
	Subject *string `key:"subject" is:"text" doc:"The verified subject, exactly: in a gateway the name of the client."`
	Issuer  *string `key:"issuer" is:"text" doc:"Who verified it, exactly."`
}
