package main

import (
	"encoding/json"
	"testing"

	callgate "github.com/callgate/callgate/sdk/go"
)

// formsThatSet set a field as some reader takes them.
var formsThatSet = []string{
	"spec:\n  hostPID:    \n    true\n",
	"spec:\n  hostPID:\n\n\n  # c\n    true",
	"spec: &a\n  hostPID: &b true\n",
	"spec:\n  \"hostPID\":\n  \"true\"\n",
	"containers:\n- securityContext:\n    capabilities:\n      add:\n      - NET_RAW\n",
	"containers:\n- securityContext: {capabilities: {add: [\"SYS_ADMIN\"]}}",
	"capabilities:\n  add: !!seq\n  - SYS_ADMIN\n",
	"capabilities:\n  add:\n  # c\n  - 'SYS_ADMIN'\n",
	"capabilities:\n  ? add\n  : [SYS_ADMIN]\n",
	"capabilities: {\"add\":\n [SYS_ADMIN]}",
	"capabilities: {drop: [ALL], add: [NET_BIND_SERVICE, SYS_ADMIN]}",
	"capabilities:\n  add: [\n    NET_BIND_SERVICE, # x]\n    SYS_ADMIN]\n",
	"capabilities:\n  add:\n    - NET_BIND_SERVICE\n\n    - SYS_ADMIN\n",
	"capabilities:\n  add:\n    - NET_BIND_SERVICE\n    -\n      SYS_ADMIN\n",
	"volumes:\n- name: x\n  hostPath: {path: /}\n",
	"volumes:\n- hostPath:\n    path: /var/run/docker.sock\n    type: Socket\n",
	"volumes:\n- hostPath:\n    type: Directory\n    path: /\n",
	"volumes:\n- hostPath:\n    type: string\n    \"path\": /\n",
	"volumes:\n- hostPath:\n    type: object\n    path : /\n",
	"volumes:\n- hostPath: {type: object, path: /}\n",
	"--set spec.hostNetwork=true",
	"--set-string hostNetwork=true,a=b",
	"--set hostNetwork=false,hostPID=true",
	"helm install x --set securityContext.privileged=true",
	"--set 'securityContext.capabilities.add[0]=SYS_ADMIN'",
	"--set 'securityContext.capabilities.add={SYS_ADMIN,NET_ADMIN}'",
	"docker run --privileged x",
	"kubectl run x --privileged x",
	"kubectl patch -p '[{\"op\":\"replace\",\"path\":\"/spec/hostPID\",\"value\":true}]'",
	"- op: add\n  path: /spec/template/spec/hostNetwork\n  value: true\n",
	"- value: true\n  path: /spec/template/spec/hostNetwork\n  op: add\n",
	"- op: add\n  path: /spec/template/spec/volumes/-\n  value: {name: x, hostPath: {path: /}}\n",
	"- op: add\n  path: \"/spec/template/spec/hostNetwork\"\n\n  value: true\n",
	"- op: add\n  path: >-\n    /spec/template/spec/hostNetwork\n  value: true\n",
	"spec:\r\n  hostPID: true\r\n",
	"spec:\r  hostPID: true\r",
	"spec:\n  hostPID\t: true",
	"hostPID: TRUE", "hostPID: y", "hostPID: Yes", "hostPID: On", "hostPID: 1",
	"hostPID: !!bool yes", "hostPID: |\n  true\n", "hostPID: >-\n  true\n",
	"a: &x\n  hostPID: true\nspec:\n  <<: *x\n",
	"data: {hostPID: true}", "{{ if true }}\nhostPID: true\n{{ end }}", "hostPID: {{ .Values.x }}",
	"$.spec.hostPID = true", "spec.hostPID==true", "hostPort: 8080", "hostPort: \"80\"",
	"[{\"name\": \"hostNetwork\", \"value\": \"true\"}]",
	"{\"op\": \"add\", \"path\": \"/spec/host\\u004eetwork\", \"value\": true}",
	"hostProcess: true", "windowsOptions: {hostProcess: true}",
	"spec:\n  hostPID:\n  true\n",
	"hostPID: # false\n  true",
	"--set securityContext.capabilities.add=SYS_ADMIN --dry-run=client now", "capabilities.add=ALL --x y z", "capabilities:\n  add: NET_BIND_SERVICE SYS_ADMIN NET_RAW\n",
	"{a: 'x\n# y', hostPID: true}", "{a: C:\\n# b, hostPID: true}", "# x\rhostPID: true", "# x\u2028hostPID: true", "a: 1 # b\nhostPID: true", "# a\nhostPID: true",
	"hostPID: true | kubectl apply -f -", "echo hostPID: true | kubectl", "- hostPath : {path: /}", "--privileged)", "x-hostPID:\n  true", "path:\n  /spec/hostPID\nvalue: true",
	"capabilities:\n  add:\n  - \n    SYS_ADMIN\n", "capabilities:\n  add: [\"x #\", SYS_ADMIN]", "capabilities: {add: [A, # ]\n # x\n 'SYS_ADMIN']}", "hostPath: some words here",
}

// formsThatDoNot only look like it.
var formsThatDoNot = []string{
	"spec:\n  hostPID:\n  hostIPC:\n  containers: []\n",
	"hostPID: false\nhostIPC: false\nhostNetwork: false\n",
	"hostPID: false # never true\n", "hostPID: \"no\"", "hostPID: ~", "hostPID: null\n", "hostPID: False",
	"properties:\n  hostNetwork:\n    description: Use the host's network namespace.\n    type: boolean\n",
	"properties:\n  hostPath:\n    description: x\n    properties:\n      path:\n        type: string\n    type: object\n",
	"privileged:\n  type: boolean\n  description: Run container in privileged mode\n",
	"allowPrivilegeEscalation: false\nprivileged: false\ncapabilities:\n  drop:\n  - ALL\n",
	"capabilities:\n  drop: [ALL]\n", "capabilities:\n  drop:\n  - ALL\n  add:\n  - NET_BIND_SERVICE\n",
	"capabilities:\n  add: []\n  drop: [ALL]\n",
	"add: this and kill the capabilities list",
	"Please add a section on capabilities: what to kill, lease and all.",
	"we add: all the capabilities of the team",
	"# hostPID: true is bad",
	"message: do not set hostNetwork, please",
	"description: Privileged pods are refused by policy",
	"privileged access is needed: ask the admin",
	"Users who are privileged: see the wiki",
	"kubectl get pods -o jsonpath='{.items[?(@.spec.hostNetwork==true)].metadata.name}'",
	"kubectl get pods -o json | jq '.items[] | select(.spec.hostPID == true)'",
	"kubectl get pods -o custom-columns=NAME:.metadata.name,HOSTNET:.spec.hostNetwork",
	"kubectl get pod -o jsonpath={.spec.hostNetwork}",
	"kubectl explain pod.spec.hostNetwork",
	"kubectl label ns x pod-security.kubernetes.io/enforce=privileged",
	"pod-security.kubernetes.io/enforce: privileged",
	"metadata:\n  labels:\n    pod-security.kubernetes.io/warn: privileged\n",
	"- op: remove\n  path: /spec/hostPID\n", "- op: test\n  path: /spec/hostPID\n  value: true\n",
	"hostPorts: [80]", "hostNetworkPolicy: true", "my-hostPath-provisioner: true",
	"provisioner: hostpath.csi.k8s.io", "storageClassName: hostpath", "storageClassName: csi-hostpath-sc\n",
	"name: hostpath", "kind: PodSecurityPolicy\nspec:\n  privileged: false\n",
	"volumes:\n- configMap\n- emptyDir\n- hostPath\n",
	"allowedHostPaths: []", "resources: {limits: {cpu: 1}}", "type: privileged", "SELECT privileged FROM roles WHERE privileged = 0",
	"hostIPC: false,hostPID: false", "if hostNetwork { return }", "ports:\n- containerPort: 80\n  hostPort: 0\n",
	"args: [--privileged=false]", "image: x/hostpath:1.2", "image: registry/hostpath:v1", "hostpath/csi:latest",
	"capabilities: {drop: [NET_RAW]}\nadd: none", "git add: .\ncapabilities of the kill chain",
}

func TestFormsOfText(t *testing.T) {
	if err := configure(callgate.Parse(`{}`)); err != nil {
		t.Fatal(err)
	}
	for _, s := range formsThatSet {
		if f := look(callgate.Parse(argument(s))); f.code == "" {
			t.Errorf("%q sets nothing", s)
		}
	}
	for _, s := range formsThatDoNot {
		if f := look(callgate.Parse(argument(s))); f.code != "" {
			t.Errorf("%q: %v", s, f)
		}
	}
	if len(formsThatSet) == 0 || len(formsThatDoNot) == 0 {
		t.Fatal("no texts")
	}
}

// argument is the text as an argument of a call.
func argument(text string) string {
	b, _ := json.Marshal(map[string]string{"m": text}) // it is text
	return string(b)
}
